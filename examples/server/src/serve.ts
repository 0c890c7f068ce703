import { issueSecret, type Organization, runWorker, runWorkerDefaults } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect, Fiber, Redacted } from "effect"
import { adminServer } from "./admin/admin-server.ts"
import { foundFirstHere, passwordLink } from "./admin/user-operations.ts"
import { adminSocketPath } from "./home/admin-socket-path.ts"
import { writePresence } from "./home/presence.ts"
import { httpServer } from "./http.ts"
import { Installation, registerThisHost } from "./installation.ts"
import { StartFailure } from "./start-failure.ts"

/** How long requests that are being answered may go on once the service stops. */
const drainMillis = 4000

/** What is left for a person to do, with an address that works once. */
export interface FirstStep {
  readonly does: "set up" | "set a password"
  readonly url: string
}

/** The way in for the first owner, by a secret that this process alone has, and that nothing keeps. */
const openSetup = Effect.gen(function*() {
  const { hash, secret } = yield* issueSecret("setup")
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof registerThisHost>>>()
  const founded = ({ id }: Organization) => Effect.asVoid(Effect.provide(Effect.orDie(registerThisHost(id)), context))
  return { setup: { hash, founded }, secret }
})

/** This machine serves every organization, and the first owner is made if the configuration names one. */
const prepare = Effect.gen(function*() {
  const { baseUrl, config } = yield* Installation
  const organizations: ReadonlyArray<Organization> = yield* (yield* OrganizationStore).organizations()
  for (const organization of organizations) yield* registerThisHost(organization.id)
  if (organizations.length > 0) return { pages: {}, first: () => Effect.undefined }
  const { adminEmail, adminPassword } = config
  if (adminEmail === undefined) {
    const { secret, setup } = yield* openSetup
    return { pages: { setup }, first: () => Effect.succeed({ does: "set up", url: `${baseUrl()}/setup?token=${secret}` } as const) }
  }
  const { user } = yield* foundFirstHere({
    email: adminEmail,
    ...(adminPassword === undefined ? {} : { password: Redacted.value(adminPassword) })
  })
  const link = Effect.map(passwordLink(user), ({ url }) => ({ does: "set a password", url } as const))
  return { pages: {}, first: () => adminPassword === undefined ? link : Effect.undefined }
})

const worker = Effect.gen(function*() {
  const { config, machine } = yield* Installation
  return yield* runWorker({
    ...runWorkerDefaults,
    machineId: machine.machineId,
    machineName: machine.name,
    leaseMillis: config.leaseMillis,
    heartbeatMillis: config.heartbeatMillis,
    fenceMillis: config.fenceMillis,
    maxConcurrentRuns: config.maxConcurrentRuns,
    minFreeBytes: config.minFreeBytes
  })
})

/**
 * Serves, on services that are built, until it is interrupted: then `/readyz` says no, nothing new is taken, and while
 * requests that are under way end, so do the agents, whose runs go back to the queue.
 */
export const serve = Effect.fn("serve")(function*(ready: (at: { readonly url: string; readonly first: FirstStep | undefined }) => void) {
  const { baseUrl, config: { home }, listensOn } = yield* Installation
  const { first, pages } = yield* prepare
  const http = yield* httpServer(pages)
  listensOn(http.url)
  const socket = yield* Effect.try({
    try: () => adminSocketPath(home),
    catch: (cause) => new StartFailure({ message: `The admin socket cannot be made: ${(cause as Error).message}.` })
  })
  yield* adminServer(socket)
  const working = yield* Effect.forkScoped(worker)
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Effect.logInfo("Stopping"), Effect.all([
      Effect.promise(() => http.close({ graceMillis: drainMillis })),
      Fiber.interrupt(working)
    ], { concurrency: "unbounded" }))
  )
  writePresence(home, { pid: process.pid, since: new Date().toISOString(), socket, url: http.url })
  // Only now is it known where the server listens, and so where the link leads.
  ready({ url: baseUrl(), first: yield* first() })
  return yield* Fiber.join(working)
})
