import { Refused } from "../errors/failure.ts"

const loopbackHost = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i

/**
 * The service's own address. It is the configured one; without one the service is on loopback, and its address is the
 * loopback origin that the Host field names. Any other name in that field is another site's, made to resolve to this
 * machine (DNS rebinding), and gets no address.
 */
export const ownBase = (request: Request, configured: string | undefined): string | undefined => {
  if (configured !== undefined) return configured
  const host = request.headers.get("host") ?? new URL(request.url).host
  return loopbackHost.test(host) ? `http://${host.toLowerCase()}` : undefined
}

export const foreignHost = new Refused({
  code: "FORBIDDEN",
  message: "The Host field names another site than this service.",
  hint: "Use 127.0.0.1, localhost or [::1], or have the operator set COPPICE_BASE_URL."
})

const isLoopback = (origin: string): boolean => loopbackHost.test(origin.replace(/^https?:\/\//, ""))

/**
 * Whether the page that sends this, if it is a page, may call what is open to pages of other sites (`cors`). Nothing that
 * is open goes by a cookie: a page has no credential but the one that somebody gave it, and with that it may call as any
 * program may. What is left to fear is DNS rebinding (MCP transports, "Security warning"): another site's name, made to
 * resolve to this machine. TLS rules that out, because the certificate does not have that name, so under an https address
 * every page may call. Under an http address only the service's own pages may, and on loopback those that are of
 * loopback too, as a developer's tool: no other site has such a name.
 */
export const admitsOrigin = (request: Request, base: string): boolean => {
  const origin = request.headers.get("origin")
  if (origin === null || base.startsWith("https://")) return true
  const own = new URL(base).origin
  return origin === own || (isLoopback(own) && isLoopback(origin))
}

export const foreignOrigin = new Refused({
  code: "FORBIDDEN",
  message: "The Origin field names another site than this service.",
  hint: "Pages of other sites may call once the operator has set COPPICE_BASE_URL to an https address; programs send no Origin."
})
