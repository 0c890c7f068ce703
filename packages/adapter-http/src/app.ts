import { Effect } from "effect"
import type { H3 } from "h3"
import type { HttpAppOptions, HttpPorts } from "./app-options.ts"
import { endpointCatalog } from "./endpoint-catalog.ts"
import { mountCatalog } from "./mount.ts"
import { makeChallenge } from "./pipeline/challenge.ts"
import { makeRunEffect } from "./pipeline/run-effect.ts"

export interface HttpApp {
  /** Answers a request; it never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** To be served, or mounted in another h3 app. */
  readonly h3: H3
  /** From now on `/readyz` says no, and what would go on without end ends. */
  readonly beginStop: () => void
}

/** The service over HTTP: the catalogue, mounted. */
export const createHttpApp = <R>(options: HttpAppOptions<R>): HttpApp => {
  const stopping = new AbortController()
  const ready = options.ready ?? Effect.succeed(true)
  const isOutage = options.isOutage ?? (() => false)
  const catalog = endpointCatalog<R | HttpPorts>({
    instructions: "",
    prompts: [],
    resources: [],
    ...options,
    isOutage,
    stopping: stopping.signal,
    ready: Effect.suspend(() => stopping.signal.aborted ? Effect.succeed(false) : ready)
  })
  const run = makeRunEffect<R | HttpPorts>(options.context, isOutage)
  const trustedProxies = options.trustedProxies ?? []
  const challenge = makeChallenge({
    trustedProxies,
    failedCredentials: options.failedCredentials ?? { max: 120, windowSeconds: 60 }
  })

  const h3 = mountCatalog<R | HttpPorts>({ catalog, baseUrl: options.baseUrl, run, challenge, trustedProxies, isOutage })
  return {
    fetch: async (request) => h3.fetch(request),
    h3,
    beginStop: () => stopping.abort()
  }
}
