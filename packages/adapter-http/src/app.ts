import { Effect } from "effect"
import { H3, type H3Event } from "h3"
import type { HttpAppOptions, HttpPorts } from "./app-options.ts"
import type { Endpoint } from "./endpoint.ts"
import { endpointCatalog } from "./endpoint-catalog.ts"
import { failureReply } from "./errors/error-envelope.ts"
import { Refused } from "./errors/failure.ts"
import { makeChallenge } from "./pipeline/challenge.ts"
import { deprecationHeaders } from "./pipeline/deprecation.ts"
import { handleCall } from "./pipeline/handle-call.ts"
import { methodNotAllowed, selectEndpoint } from "./pipeline/method.ts"
import { foreignHost, ownBase } from "./pipeline/own-origin.ts"
import { makeRunEffect } from "./pipeline/run-effect.ts"
import { toResponse } from "./response.ts"

export interface HttpApp {
  /** Answers a request; it never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** To be served, or mounted in another h3 app. */
  readonly h3: H3
  /** From now on `/readyz` says no, and what would go on without end ends. */
  readonly beginStop: () => void
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

/** The service over HTTP: the catalogue, mounted. */
export const createHttpApp = <R>(options: HttpAppOptions<R>): HttpApp => {
  const stopping = new AbortController()
  const ready = options.ready ?? Effect.succeed(true)
  const isOutage = options.isOutage ?? (() => false)
  const catalog = endpointCatalog<R | HttpPorts>({
    instructions: "",
    ...options,
    isOutage,
    stopping: stopping.signal,
    ready: Effect.suspend(() => stopping.signal.aborted ? Effect.succeed(false) : ready)
  })
  const run = makeRunEffect<R | HttpPorts>(options.context, isOutage)
  const challenge = makeChallenge({
    trustedProxies: options.trustedProxies ?? [],
    failedCredentials: options.failedCredentials ?? { max: 120, windowSeconds: 60 }
  })

  const mount = (endpoints: ReadonlyArray<Endpoint<R | HttpPorts>>) => async ({ context, req: request }: H3Event) => {
    const base = ownBase(request, options.baseUrl)
    if (base === undefined) return toResponse(failureReply(foreignHost))
    if (endpoints.length === 0) return toResponse(failureReply(notFound))
    const endpoint = selectEndpoint(endpoints, request.method)
    if (endpoint === undefined) return toResponse(failureReply(methodNotAllowed(endpoints, request.method)))
    const call = { request, base, params: context.params ?? {} }
    const answer = Effect.catch(handleCall(endpoint, call), (failure) =>
      failure.code === "UNAUTHORIZED" ? challenge(call, failure) : Effect.succeed(failureReply(failure)))
    const reply = await run(request, answer)
    return toResponse(reply, endpoint.deprecated && deprecationHeaders(endpoint.deprecated))
  }

  const h3 = new H3({ silent: true, onError: () => toResponse(failureReply(malformed)) })
  for (const [path, endpoints] of byPath(catalog)) h3.all(path, mount(endpoints))
  h3.all("/**", mount([]))
  return {
    fetch: async (request) => h3.fetch(request),
    h3,
    beginStop: () => stopping.abort()
  }
}
