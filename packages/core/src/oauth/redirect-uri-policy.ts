export const maxRedirectUris = 20
export const maxRedirectUriLength = 2048

/** A scheme, and what follows it: the characters of RFC 3986 and no fragment (RFC 6749 section 3.1.2). */
const absolute = /^([A-Za-z][A-Za-z0-9+.-]*):((?:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+)$/

/** What follows http: or https:, without user information: host, port, and the rest. */
const web = /^\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(\d{1,5}))?((?:[/?].*)?)$/

const loopbackHosts = new Set(["127.0.0.1", "localhost", "[::1]"])

/** Schemes that make a browser run, show or open something by itself, and those that are of other protocols. */
const foreignSchemes = new Set(
  "javascript data vbscript file blob about filesystem view-source intent ws wss ftp mailto tel sms".split(" ")
)

interface WebUri {
  readonly scheme: string
  readonly host: string
  readonly port: string | undefined
  readonly rest: string
}

const partsOf = (uri: string): readonly [scheme: string, rest: string] | undefined => {
  const [, scheme, rest] = absolute.exec(uri) ?? []
  return scheme === undefined || rest === undefined ? undefined : [scheme, rest]
}

const webUri = (uri: string): WebUri | undefined => {
  const [scheme, after] = partsOf(uri) ?? []
  const [, host, port, rest] = (scheme === "http" || scheme === "https") && after !== undefined ? web.exec(after) ?? [] : []
  if (scheme === undefined || host === undefined || rest === undefined || Number(port ?? 0) > 65_535) return undefined
  return { scheme, host, port, rest }
}

/** What is wrong with a redirect URI that a client wants to register, if anything is. */
export const redirectUriFault = (uri: string): string | undefined => {
  if (uri.length > maxRedirectUriLength) return `It is over ${maxRedirectUriLength} characters.`
  const [scheme] = partsOf(uri) ?? []
  if (scheme === undefined) return "It is no absolute URI without a fragment."
  const lowerCase = scheme.toLowerCase()
  if (foreignSchemes.has(lowerCase)) return `The scheme ${lowerCase} is not allowed.`
  if (lowerCase !== "http" && lowerCase !== "https") return undefined
  if (scheme !== lowerCase) return "http and https are written in lower case."
  const parts = webUri(uri)
  if (parts === undefined) return "It has no host, or more than a host and a port before its path."
  if (scheme === "http" && !loopbackHosts.has(parts.host)) return "Without TLS only 127.0.0.1, [::1] and localhost are allowed."
  return undefined
}

const isLoopback = (parts: WebUri | undefined): parts is WebUri => parts?.scheme === "http" && loopbackHosts.has(parts.host)

/** Whether a redirect URI leads to a program on the person's own machine, which anybody's program there may claim to be. */
export const isLoopbackRedirect = (uri: string): boolean => isLoopback(webUri(uri))

/**
 * Whether a redirect URI is the registered one: character by character. Only the port of a loopback address may differ,
 * because a program there gets the one that is free (RFC 8252 section 7.3).
 */
export const matchesRedirectUri = (registered: string, presented: string): boolean => {
  if (registered === presented) return true
  const [left, right] = [webUri(registered), webUri(presented)]
  return isLoopback(left) && isLoopback(right) && left.host === right.host && left.rest === right.rest
}

/** Where a redirect URI leads to, as people are to read it: the host with its port, or the scheme of an app. */
export const redirectHost = (uri: string): string => {
  const parts = webUri(uri)
  if (parts === undefined) return `${partsOf(uri)?.[0] ?? ""}:`
  return parts.port === undefined ? parts.host : `${parts.host}:${parts.port}`
}

/**
 * The same for a content security policy, which browsers apply to where a form's answer redirects to. Its grammar has no IPv6
 * addresses (CSP level 3 section 2.3.1), so that for one the scheme has to do.
 */
export const redirectSource = (uri: string): string => {
  const parts = webUri(uri)
  if (parts === undefined) return redirectHost(uri)
  return parts.host.startsWith("[") ? `${parts.scheme}:` : `${parts.scheme}://${redirectHost(uri)}`
}

/** A redirect URI with parameters appended; those that it has stay (RFC 6749 section 3.1.2). */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const query = Object.entries(parameters)
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`])
    .join("&")
  if (!uri.includes("?")) return `${uri}?${query}`
  return /[?&]$/.test(uri) ? uri + query : `${uri}&${query}`
}
