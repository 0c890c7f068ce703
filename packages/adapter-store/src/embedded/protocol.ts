/**
 * The little of PostgreSQL's wire protocol that sharing one session needs: where a message ends, which statement a
 * cycle prepares or runs, and the few answers that are given without asking the database.
 * https://www.postgresql.org/docs/18/protocol-message-formats.html
 */

export type TransactionStatus = "idle" | "transaction" | "failed"

const text = new TextEncoder()
const decoder = new TextDecoder()

export const letter = (character: string): number => character.charCodeAt(0)

export const int32At = (bytes: Uint8Array, offset: number): number =>
  (bytes[offset]! << 24) | (bytes[offset + 1]! << 16) | (bytes[offset + 2]! << 8) | bytes[offset + 3]!

export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  if (parts.length === 1) return parts[0]!
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

const int32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setInt32(0, value)
  return bytes
}

const message = (type: string, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const body = concat([new Uint8Array(0), ...parts])
  return concat([Uint8Array.of(letter(type)), int32(body.length + 4), body])
}

const cString = (value: string): Uint8Array => text.encode(`${value}\0`)

const statusLetter: Record<TransactionStatus, string> = { idle: "I", transaction: "T", failed: "E" }

export const statusOf = (byte: number): TransactionStatus =>
  byte === letter("I") ? "idle" : byte === letter("T") ? "transaction" : "failed"

// What the server side says.

export const readyForQuery = (status: TransactionStatus): Uint8Array => message("Z", text.encode(statusLetter[status]))

export const errorResponse = (severity: "ERROR" | "FATAL", code: string, what: string): Uint8Array =>
  message("E", cString(`S${severity}`), cString(`V${severity}`), cString(`C${code}`), cString(`M${what}`), Uint8Array.of(0))

/** What a statement is told that was cancelled before its turn. */
export const cancelledInLine = (status: TransactionStatus): Uint8Array =>
  concat([errorResponse("ERROR", "57014", "canceling statement due to user request"), readyForQuery(status)])

/** Everybody is let in: who may use the database is decided by who may open its directory. */
export const greeting = (pid: number, secret: number): Uint8Array =>
  concat([message("R", int32(0)), message("K", int32(pid), int32(secret)), readyForQuery("idle")])

// What the client side says.

export const simpleQuery = (sql: string): Uint8Array => message("Q", cString(sql))

export const closeStatements = (names: Iterable<string>): Uint8Array =>
  concat([...Array.from(names, (name) => message("C", text.encode("S"), cString(name))), message("S")])

const startupCode = { cancel: 80877102, tls: 80877103, gss: 80877104 }

export type Opening =
  | { readonly kind: "startup" }
  | { readonly kind: "encryption" }
  | { readonly kind: "cancel"; readonly pid: number; readonly secret: number }

/** The first message of a connection, which has no type byte. */
export const opening = (bytes: Uint8Array): Opening => {
  const code = int32At(bytes, 4)
  if (code === startupCode.cancel) return { kind: "cancel", pid: int32At(bytes, 8), secret: int32At(bytes, 12) }
  return { kind: code === startupCode.tls || code === startupCode.gss ? "encryption" : "startup" }
}

const stringAt = (bytes: Uint8Array, offset: number): { readonly value: string; readonly next: number } => {
  const end = bytes.indexOf(0, offset)
  return { value: decoder.decode(bytes.subarray(offset, end)), next: end + 1 }
}

/** Calls `visit` with the type and the body of each whole message, and returns how many bytes those took. */
export const eachMessage = (
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (type: number, start: number, end: number) => void
): number => {
  let at = from
  while (to - at >= 5) {
    const end = at + 1 + int32At(bytes, at + 1)
    if (end > to) break
    visit(bytes[at]!, at, end)
    at = end
  }
  return at
}

export interface Listening {
  readonly listen: boolean
  /** Undefined for `UNLISTEN *`. */
  readonly channel: string | undefined
}

const listening = /^\s*(un)?listen\s+(?:"((?:[^"]|"")+)"|([a-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(\*))\s*;?\s*$/i

/** `LISTEN` and `UNLISTEN` change what the whole session hears, so they are the statements that are recognised. */
export const parseListening = (sql: string): Listening | undefined => {
  const match = listening.exec(sql)
  if (match === null) return undefined
  const [, not, quoted, bare, all] = match
  if (all !== undefined) return not === undefined ? undefined : { listen: false, channel: undefined }
  return { listen: not === undefined, channel: quoted?.replaceAll("\"\"", "\"") ?? bare!.toLowerCase() }
}

export type Frontend =
  | { readonly kind: "parse"; readonly name: string; readonly sql: string }
  | { readonly kind: "bind"; readonly name: string }
  | { readonly kind: "close"; readonly name: string }
  | { readonly kind: "query"; readonly sql: string }

/** The parts of a client's message that matter to somebody who shares a session with it. */
export const frontend = (bytes: Uint8Array, start: number): Frontend | undefined => {
  switch (String.fromCharCode(bytes[start]!)) {
    case "P": {
      const name = stringAt(bytes, start + 5)
      return { kind: "parse", name: name.value, sql: stringAt(bytes, name.next).value }
    }
    case "B":
      return { kind: "bind", name: stringAt(bytes, stringAt(bytes, start + 5).next).value }
    case "C":
      return bytes[start + 5] === letter("S") ? { kind: "close", name: stringAt(bytes, start + 6).value } : undefined
    case "Q":
      return { kind: "query", sql: stringAt(bytes, start + 5).value }
  }
  return undefined
}

/** The channel of a NotificationResponse. */
export const notificationChannel = (bytes: Uint8Array, start: number): string => stringAt(bytes, start + 9).value

export const quoteIdentifier = (name: string): string => `"${name.replaceAll("\"", "\"\"")}"`
