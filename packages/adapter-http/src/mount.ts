import { CallerAddress } from "@coppice/core"
import { Effect } from "effect"
import { H3, type H3Event } from "h3"
import type { Endpoint } from "./endpoint.ts"
import { failureReply } from "./errors/error-envelope.ts"
import { type Failure, Refused } from "./errors/failure.ts"
import type { Call } from "./pipeline/call.ts"
import { clientAddress, proxyList } from "./pipeline/client-address.ts"
import { corsFields, preflightFields } from "./pipeline/cors.ts"
import { deprecationHeaders } from "./pipeline/deprecation.ts"
import { handleCall, type PipelinePorts } from "./pipeline/handle-call.ts"
import { allowOf, methodNotAllowed, selectEndpoint } from "./pipeline/method.ts"
import { admitsOrigin, foreignHost, foreignOrigin, ownBase } from "./pipeline/own-origin.ts"
import { empty, type Reply } from "./reply.ts"
import { toResponse } from "./response.ts"

export interface MountOptions<R> {
  readonly catalog: ReadonlyArray<Endpoint<R>>
  readonly baseUrl: string | undefined
  /** Runs one request's effect to its reply, whatever happens in it. */
  readonly run: (request: Request, effect: Effect.Effect<Reply, never, R | PipelinePorts>) => Promise<Reply>
  /** Whose word on who the client is counts. */
  readonly trustedProxies: ReadonlyArray<string>
  readonly isOutage: (defect: unknown) => boolean
  /** The answer to a request without a good credential. */
  readonly challenge: (call: Call, failure: Failure) => Effect.Effect<Reply>
}

const notFound = new Refused({ code: "NOT_FOUND", message: "There is nothing at this address." })
const malformed = new Refused({ code: "INVALID_REQUEST", message: "The address is malformed." })

/** Endpoints by address; several methods may share one. */
const byPath = <R>(catalog: ReadonlyArray<Endpoint<R>>): ReadonlyMap<string, ReadonlyArray<Endpoint<R>>> => {
  const paths = new Map<string, Array<Endpoint<R>>>()
  for (const endpoint of catalog) {
    for (const path of endpoint.paths) paths.set(path, [...(paths.get(path) ?? []), endpoint])
  }
  return paths
}

/** Answers at every address of the catalogue, and 404 at any other. */
export const mountCatalog = <R>(options: MountOptions<R>): H3 => {
  const { baseUrl, catalog, challenge, isOutage, run } = options
  const trusted = proxyList(options.trustedProxies)
  const mount = (endpoints: ReadonlyArray<Endpoint<R>>) => {
    const cors = corsFields(endpoints)
    const allowed: Reply = { ...empty(204), headers: { allow: allowOf(endpoints), ...preflightFields(endpoints) } }
    const added = new Map(endpoints.map((endpoint) => [
      endpoint,
      endpoint.deprecated === undefined ? cors : { ...cors, ...deprecationHeaders(endpoint.deprecated) }
    ]))
    return async ({ context, req: request }: H3Event) => {
      const base = ownBase(request, baseUrl)
      if (base === undefined) return toResponse(failureReply(foreignHost))
      if (endpoints.length === 0) return toResponse(failureReply(notFound))
      if (cors !== undefined && !admitsOrigin(request, base)) return toResponse(failureReply(foreignOrigin))
      const endpoint = selectEndpoint(endpoints, request.method)
      if (endpoint === undefined) {
        return request.method === "OPTIONS"
          ? toResponse(allowed)
          : toResponse(failureReply(methodNotAllowed(endpoints, request.method)), cors)
      }
      const call = { request, base, params: context.params ?? {} }
      const answer = handleCall(endpoint, call, isOutage).pipe(
        Effect.catch((failure) =>
          failure.code === "UNAUTHORIZED" ? challenge(call, failure) : Effect.succeed(failureReply(failure))
        ),
        Effect.provideService(CallerAddress, clientAddress(request, trusted))
      )
      return toResponse(await run(request, answer), added.get(endpoint))
    }
  }
  const h3 = new H3({ silent: true, onError: () => toResponse(failureReply(malformed)) })
  for (const [path, endpoints] of byPath(catalog)) h3.all(path, mount(endpoints))
  h3.all("/**", mount([]))
  return h3
}
