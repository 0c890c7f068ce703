// What the parts of this contract share: runs that are taken up, under leases that hold or are over.
import { type Automation, type MachineId, now, type Run } from "@coppice/core"
import { RunQueue, RunStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { seedAutomation, seedHost, seedProject, seedRun, seedTenant, seedWorld, type World } from "../seed.ts"
import { pass, type StoreCapabilities } from "../store-contract.ts"

/** Long enough that it cannot end on its own while a test runs, however busy the machine is. */
export const long = { leaseMillis: 60_000, maxConcurrentRuns: 100 }

/** A lease that a test lets run out. */
export const shortMillis = 50

export const claimOf = (machineId: MachineId, leaseMillis = long.leaseMillis) =>
  Effect.gen(function*() {
    return (yield* (yield* RunQueue).claim(machineId, { ...long, leaseMillis }))!
  })

export const get = ({ id, organizationId }: Pick<Run, "id" | "organizationId">) =>
  Effect.gen(function*() {
    return (yield* (yield* RunStore).get(organizationId, id))!
  })

/** A run that was taken up under a lease, which is over if that was asked for. */
export const seedLeased = Effect.fnUntraced(function*(
  capabilities: StoreCapabilities,
  options: { readonly automation?: Partial<Automation>; readonly expired?: boolean; readonly cancel?: boolean } = {}
) {
  const world = yield* seedWorld(options.automation === undefined ? {} : { automation: options.automation })
  const run = yield* seedRun(world.automation)
  const claim = yield* claimOf(world.machineId, options.expired === true ? shortMillis : long.leaseMillis)
  if (options.cancel === true) yield* (yield* RunStore).cancel(run.organizationId, run.id, yield* now)
  if (options.expired === true) yield* pass(capabilities, shortMillis)
  return { ...world, ...claim }
})

export const siblingsOn = Effect.fnUntraced(function*({ machineId }: World) {
  const { organization, user } = yield* seedTenant
  const host = yield* seedHost(organization.id, { machineId })
  return yield* seedAutomation(yield* seedProject(host), user.id)
})

export const mine = (runs: ReadonlyArray<Run>, { id }: Run) => runs.find((run) => run.id === id)
