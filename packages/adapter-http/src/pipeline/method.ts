import type { Endpoint } from "../endpoint.ts"
import { Refused } from "../errors/failure.ts"

/** The endpoint that serves a method at an address. A removed one answers any; HEAD is served as GET (RFC 9110 section 9.3.2). */
export const selectEndpoint = <R>(
  endpoints: ReadonlyArray<Endpoint<R>>,
  method: string
): Endpoint<R> | undefined =>
  endpoints.find((endpoint) =>
    "removed" in endpoint || endpoint.method === method || (method === "HEAD" && endpoint.method === "GET")
  )

/** The methods that endpoints of one address serve. */
export const methodsOf = <R>(endpoints: ReadonlyArray<Endpoint<R>>): ReadonlyArray<string> =>
  endpoints.flatMap((endpoint) => "removed" in endpoint ? [] : [endpoint.method])
    .flatMap((method) => method === "GET" ? [method, "HEAD"] : [method])

/** The Allow field of an address (RFC 9110 section 10.2.1). */
export const allowOf = <R>(endpoints: ReadonlyArray<Endpoint<R>>): string => [...methodsOf(endpoints), "OPTIONS"].join(", ")

/** 405 with the methods that are allowed (RFC 9110 section 15.5.6). */
export const methodNotAllowed = <R>(endpoints: ReadonlyArray<Endpoint<R>>, method: string): Refused => {
  const allow = allowOf(endpoints)
  return new Refused({
    code: "METHOD_NOT_ALLOWED",
    message: `${method} is not allowed here.`,
    hint: `Use ${methodsOf(endpoints).join(" or ")}.`,
    headers: { allow }
  })
}
