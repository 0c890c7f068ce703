import { createHttpApp, openIdConnect, serveHttp } from "@coppice/adapter-http"
import type { HttpPorts, SetupLink } from "@coppice/adapter-http"
import { checkDatabase } from "@coppice/adapter-store"
import {
  type CurrentPrincipal,
  resourceCatalog,
  type ResourceServices,
  serviceInstructions,
  toolCatalog,
  type ToolServices
} from "@coppice/core"
import { Effect, Redacted } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import type { SqlClient } from "effect/sql/SqlClient"
import { Installation } from "./installation.ts"
import { StartFailure } from "./start-failure.ts"
import { version } from "./version.ts"

const outages = new Set(["ConnectionError", "AuthenticationError", "LockTimeoutError"])

/** What PostgreSQL says while it starts, recovers or stops (57P), or lacks memory, connections or disk (53, 58). */
const outageState = /^(?:57P|53|58)/

/** A database that cannot be reached will be back; any other defect is a mistake in the program. */
export const isOutage = (defect: unknown): boolean =>
  isSqlError(defect) &&
  (outages.has(defect.reason._tag) || outageState.test((defect.reason.cause as { code?: string } | undefined)?.code ?? ""))

const listenFailure = (host: string, port: number, error: NodeJS.ErrnoException) => {
  switch (error.code) {
    case "EADDRINUSE":
      return new StartFailure({
        message: `Port ${port} on ${host} is in use by another program.`,
        hint: "Stop that program, or choose another port with PORT (0 for any that is free)."
      })
    case "EACCES":
      return new StartFailure({
        message: `This user may not listen on port ${port}.`,
        hint: "Choose a port of 1024 or above with PORT."
      })
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new StartFailure({
        message: `${host} is no address of this machine.`,
        hint: "Set HOST to 127.0.0.1, or to an address of this machine."
      })
    default:
      return new StartFailure({ message: `The server cannot listen on ${host}, port ${port}: ${error.message}.` })
  }
}

type Services = Exclude<ToolServices | ResourceServices, CurrentPrincipal> | HttpPorts | SqlClient

/** Serves the whole interface until the scope closes. */
export const httpServer = Effect.fn("httpServer")(function*(pages: { readonly setup?: SetupLink }) {
  const { config: { baseUrl, host, identityProviders, port, trustedProxies } } = yield* Installation
  const app = createHttpApp<Services>({
    context: yield* Effect.context<Services>(),
    tools: toolCatalog,
    resources: resourceCatalog,
    instructions: serviceInstructions,
    version,
    trustedProxies,
    isOutage,
    ready: Effect.match(checkDatabase(), { onSuccess: () => true, onFailure: () => false }),
    identityProviders: identityProviders.map(({ clientSecret, ...provider }) =>
      openIdConnect({ ...provider, ...(clientSecret === undefined ? {} : { clientSecret: Redacted.value(clientSecret) }) })),
    ...pages,
    ...(baseUrl === undefined ? {} : { baseUrl })
  })
  return yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => serveHttp(app, { host, port }),
      catch: (error) => listenFailure(host, port, error as NodeJS.ErrnoException)
    }),
    (server) => Effect.promise(() => server.close({ graceMillis: 0 }))
  )
})
