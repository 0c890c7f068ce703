import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const htmlEscaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

/** The ways in which a secret may be written down. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  // What stands before it shifts its base64: what is left of that, whatever stood there, is looked for.
  const base64 = [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes])
    const [from, to] = [shift === 0 ? 0 : 4, Math.floor(padded.length / 3) * 4]
    return (["base64", "base64url"] as const).map((encoding) => padded.toString(encoding).slice(from, to))
  })
  return [...new Set([
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ s: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    htmlEscaped(secret),
    bytes.toString("hex"),
    ...base64
  ])]
}

/** Secrets as they come up, and where they must not be. */
export const makeCanaries = () => {
  const secrets = new Map<string, string>()
  return {
    /** From now on this is looked for; what it is is for the message. */
    keep: (what: string, secret: string | undefined): string => {
      if (secret === undefined || secret.length < 8) throw new Error(`${what} is no secret: ${secret}`)
      secrets.set(secret, what)
      return secret
    },
    count: () => secrets.size,
    /** Which of them stand in a text, and with what around them. */
    in: (text: string): ReadonlyArray<string> =>
      [...secrets].flatMap(([secret, what]) =>
        spellings(secret).flatMap((spelling) => {
          const at = text.indexOf(spelling)
          return at < 0 ? [] : [`${what}: …${text.slice(Math.max(0, at - 120), at)}<HERE>${text.slice(at + spelling.length, at + spelling.length + 60)}…`]
        }))
  }
}

/** Every file of a folder as text that keeps each byte. */
export const filesUnder = (folder: string): ReadonlyArray<{ readonly path: string; readonly text: string }> =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return []
    const path = join(entry.parentPath, entry.name)
    return [{ path, text: readFileSync(path).toString("latin1") }]
  })
