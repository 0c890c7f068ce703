/** Scheme and token of RFC 9110 section 11.4 and RFC 6750 section 2.1; the scheme's case does not matter. */
const credentials = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/**
 * The token of the Authorization header, and of nothing else: not of the query, not of the body. Two such headers were
 * joined with a comma by the time they are read here, and match no more.
 */
export const bearerToken = (headers: Headers): string | undefined => {
  const value = headers.get("authorization")
  return value === null ? undefined : credentials.exec(value)?.[1]
}
