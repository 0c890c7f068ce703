/** What a model is shown, as MCP has it. Bytes are in base64. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  /** What stands at an address, with what stands there. */
  | {
    readonly type: "resource"
    readonly resource: { readonly uri: string; readonly mimeType?: string } & ({ readonly text: string } | { readonly blob: string })
  }
  /** An address alone, for the client to read if it wants to. */
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string; readonly mimeType?: string }
