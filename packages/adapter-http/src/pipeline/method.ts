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

/** 405 with the methods that are allowed (RFC 9110 section 15.5.6). */
export const methodNotAllowed = <R>(endpoints: ReadonlyArray<Endpoint<R>>, method: string): Refused => {
  const methods = endpoints.flatMap((endpoint) => "removed" in endpoint ? [] : [endpoint.method])
  const allow = methods.flatMap((each) => each === "GET" ? [each, "HEAD"] : [each]).join(", ")
  return new Refused({
    code: "METHOD_NOT_ALLOWED",
    message: `${method} is not allowed here.`,
    hint: `Use ${allow}.`,
    headers: { allow }
  })
}
