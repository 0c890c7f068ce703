/** The parameters of a query or a form, each with its value. One that is sent without a value was not sent (RFC 6749 section 3.1). */
export interface OAuthParameters {
  readonly values: ReadonlyMap<string, string>
  /** Those that were sent more than once, which is never right but for `resource` (RFC 8707 section 2). */
  readonly repeated: ReadonlyArray<string>
  /** Every `resource`. */
  readonly resources: ReadonlyArray<string>
}

/** More than any client has to say. */
export const maxParameters = 100

const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "))

/**
 * Reads what is encoded as application/x-www-form-urlencoded. `undefined` for what is not, or is no UTF-8, holds U+0000,
 * which no database keeps, or has more parameters than anybody could mean.
 */
export const parseParameters = (text: string): OAuthParameters | undefined => {
  const pairs = text.split("&", maxParameters + 1)
  if (pairs.length > maxParameters) return undefined
  const values = new Map<string, string>()
  const repeated: Array<string> = []
  const resources: Array<string> = []
  for (const pair of pairs) {
    const [encodedName = "", ...rest] = pair.split("=")
    try {
      const name = decode(encodedName)
      const value = decode(rest.join("="))
      if (name.includes("\u0000") || value.includes("\u0000")) return undefined
      if (value === "") continue
      if (name === "resource") resources.push(value)
      else if (values.has(name)) repeated.push(name)
      else values.set(name, value)
    } catch {
      return undefined
    }
  }
  return { values, repeated, resources }
}
