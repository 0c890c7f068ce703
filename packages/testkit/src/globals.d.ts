// What the testkit uses of the web platform, beyond ECMAScript.
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}
declare class TextDecoder {
  decode(bytes: Uint8Array): string
}
