import { type Organization, runWorker, runWorkerDefaults } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect, Fiber } from "effect"
import { adminServer } from "./admin/admin-server.ts"
import { found } from "./admin/user-operations.ts"
import { adminSocketPath } from "./home/admin-socket-path.ts"
import { writePresence } from "./home/presence.ts"
import { httpServer } from "./http.ts"
import { Installation, registerThisHost } from "./installation.ts"
import { StartFailure } from "./start-failure.ts"

/** How long requests that are being answered may go on once the service stops. */
const drainMillis = 4000

/** This machine serves every organization, and the first owner is made if the configuration names one. */
const prepare = Effect.gen(function*() {
  const { config } = yield* Installation
  const organizations: ReadonlyArray<Organization> = yield* (yield* OrganizationStore).organizations()
  for (const organization of organizations) yield* registerThisHost(organization.id)
  if (organizations.length === 0 && config.adminEmail !== undefined) {
    yield* found({ email: config.adminEmail })
    return true
  }
  return organizations.length > 0
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
export const serve = Effect.fn("serve")(function*(ready: (at: { readonly url: string; readonly hasUsers: boolean }) => void) {
  const { baseUrl, config: { home }, listensOn } = yield* Installation
  const hasUsers = yield* prepare
  const http = yield* httpServer
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
  ready({ url: baseUrl(), hasUsers })
  return yield* Fiber.join(working)
})
