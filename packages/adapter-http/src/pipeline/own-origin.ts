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

/** Whether the page that sends this, if it is a page, is of the service itself (MCP transports, "Security warning"). */
export const isOwnOrigin = (request: Request, base: string): boolean => {
  const origin = request.headers.get("origin")
  return origin === null || origin === new URL(base).origin
}
