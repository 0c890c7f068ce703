import { serializeCookie } from "oslo/cookie"
import type { Call } from "./call.ts"

/**
 * `visit` tells a browser from others before anybody signs in there; `session` holds a sign-in; `identity` what is to be
 * remembered while the person is at another service to prove who they are.
 */
export type CookieKind = "visit" | "session" | "identity"

const isSecure = (base: string): boolean => base.startsWith("https://")

/** Under https no other site, and no subdomain, can set a cookie by that name (RFC 6265bis, "__Host-"). */
const nameOf = (base: string, kind: CookieKind): string => `${isSecure(base) ? "__Host-" : ""}coppice_${kind}`

/** What the browser keeps under that name. Of two by one name neither can be trusted. */
export const readCookie = ({ base, request }: Pick<Call, "base" | "request">, kind: CookieKind): string | undefined => {
  const name = `${nameOf(base, kind)}=`
  const found = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim()).filter((pair) => pair.startsWith(name))
  return found.length === 1 ? found[0]!.slice(name.length) : undefined
}

/** Has the browser keep it, until it is closed or for so long: no script reads it, and no other site's form carries it. */
export const setCookie = (base: string, kind: CookieKind, secret: string, maxAgeSeconds?: number): string =>
  serializeCookie(nameOf(base, kind), secret, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure(base),
    ...maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }
  })

export const clearCookie = (base: string, kind: CookieKind): string => setCookie(base, kind, "", 0)
