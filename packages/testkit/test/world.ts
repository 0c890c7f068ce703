// What the tests of use cases and of the worker stand on: the memory stores and a fake host, with one organization.
import {
  cancelRun,
  createAutomation,
  createProject,
  CurrentPrincipal,
  deleteWorkspace,
  foundOrganization,
  MachineId,
  type NewAutomation,
  pauseAutomation,
  type Principal,
  type ProjectPatch,
  registerHost,
  type Run,
  type RunStatus,
  runWorker,
  runWorkerDefaults,
  type RunWorkerOptions,
  startRun,
  updateProject
} from "@coppice/core"
import { AgentSessionStore, HostStore, RunEventStore, RunStore, WorkspaceStore } from "@coppice/core/ports"
import { FakeHost, fakeHostLayer } from "@coppice/testkit/fake"
import { memoryLayer } from "@coppice/testkit/memory"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { assert } from "vitest"

export const machineId = MachineId.make("0198c5a0-0000-7000-8000-000000000001")

/** Whether the stores can be reached, and what else is done to them on the way. */
export class StoreLink extends Context.Service<StoreLink, {
  away: boolean
  /** Sees every call, as `RunQueue.claim`, and may stand in its way. */
  before: (name: string, args: ReadonlyArray<unknown>) => Effect.Effect<void>
  /** Comes when a call has taken effect, and before its answer does. */
  after: (name: string) => Effect.Effect<void>
}>()("@coppice/testkit/test/StoreLink") {}

const throughLink = (link: StoreLink["Service"], port: string, service: object): object =>
  Object.fromEntries(
    Object.entries(service).map(([method, implementation]) => {
      if (Stream.isStream(implementation)) return [method, implementation]
      const call = implementation as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>
      const name = `${port}.${method}`
      return [method, (...args: ReadonlyArray<unknown>) =>
        Effect.suspend(() => link.away ? Effect.die(new Error("The store is away")) : link.before(name, args)).pipe(
          Effect.andThen(Effect.suspend(() => call(...args))),
          Effect.tap(() => link.after(name))
        )]
    })
  )

/** The memory stores, behind a link that a test can cut. */
const linkedStores = Layer.effectContext(
  Effect.gen(function*() {
    const stores = yield* Layer.build(Layer.fresh(memoryLayer))
    const link: StoreLink["Service"] = { away: false, before: () => Effect.void, after: () => Effect.void }
    const entries = [...stores.mapUnsafe].map(([key, service]) =>
      [key, key.includes("/core/") ? throughLink(link, key.split("/").at(-1)!, service as object) : service] as const
    )
    return Context.add(Context.makeUnsafe(new Map(entries)) as typeof stores, StoreLink, link)
  })
)

export const worldLayer = Layer.mergeAll(linkedStores, fakeHostLayer({ machineId }), layerWebCrypto)

export const repositoryPath = "/code/shop"

/** An organization with an owner, its host of the fake machine, and the way to act in its name. */
export const makeTenant = Effect.fnUntraced(function*(name: string) {
  const founded = yield* foundOrganization({ organizationName: name, email: `owner@${name}.example`, name: "Owner" })
  const host = yield* registerHost(founded.organization.id, {
    machineId,
    name: "fake host",
    platform: "linux-x64",
    agents: ["reviewer"],
    maxConcurrentRuns: 4
  })
  const principal: Principal = { organizationId: founded.organization.id, userId: founded.user.id, role: "owner" }
  const as = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, CurrentPrincipal, principal)
  return { ...founded, host, principal, as }
})

/** Lets time go by until something holds, at the most that long. */
export const until = Effect.fnUntraced(function*<R>(
  what: string,
  holds: Effect.Effect<boolean, never, R>,
  maxMillis = 60_000,
  stepMillis = 50
) {
  for (let passed = 0; !(yield* holds); passed += stepMillis) {
    if (passed >= maxMillis) assert.fail(`After ${maxMillis} ms it does not hold: ${what}`)
    yield* TestClock.adjust(stepMillis)
  }
})

/** A tenant with a project on a repository of the fake host. */
export const makeWorld = Effect.gen(function*() {
  const host = yield* FakeHost
  host.addRepository(repositoryPath, { "README.md": "Shop\n", ".gitignore": ".env\n" })
  const tenant = yield* makeTenant("acme")
  const project = yield* tenant.as(createProject({ repositoryPath }))
  const automate = (input: Partial<NewAutomation> = {}) =>
    tenant.as(createAutomation({ name: "Review", prompt: "Review it.", agent: "reviewer", projectId: project.id, ...input }))
  const run = (automationId: string, payload?: unknown) => tenant.as(startRun(automationId, payload))
  const { organizationId } = tenant.principal
  const getRun = Effect.fnUntraced(function*(id: Run["id"]) {
    const run = yield* (yield* RunStore).get(organizationId, id)
    return run ?? (yield* Effect.die(new Error(`There is no run ${id}`)))
  })
  const sessions = Effect.flatMap(AgentSessionStore, (store) => store.list(organizationId, {}, { limit: 100 })).pipe(
    Effect.map(({ items }) => items.toReversed())
  )
  const workspaces = Effect.flatMap(WorkspaceStore, (store) => store.list(organizationId, {}, { limit: 100 })).pipe(
    Effect.map(({ items }) => items.toReversed())
  )
  const events = (id: Run["id"]) => Effect.flatMap(RunEventStore, (store) => store.list(organizationId, id, 0, 10_000))
  /** Lets time go by until the run is in that state, and answers it. */
  const reaches = (id: Run["id"], status: RunStatus, maxMillis?: number) =>
    Effect.andThen(
      until(`the run is ${status}`, Effect.map(getRun(id), (run) => run.status === status), maxMillis),
      getRun(id)
    )
  const cancel = (id: Run["id"]) => tenant.as(cancelRun(id))
  const changeProject = (patch: ProjectPatch) => tenant.as(updateProject(project.id, patch))
  const remove = (workspaceId: string, force = false) => tenant.as(deleteWorkspace(workspaceId, force))
  const hosts = Effect.flatMap(HostStore, (store) => store.list(organizationId, {})).pipe(Effect.map(({ items }) => items))
  return {
    ...tenant,
    organizationId,
    fake: host,
    project,
    automate,
    run,
    getRun,
    reaches,
    cancel,
    sessions,
    workspaces,
    events,
    hosts,
    changeProject,
    deleteWorkspace: remove,
    pause: (automationId: string) => tenant.as(pauseAutomation(automationId))
  }
})

export const workerOptions: RunWorkerOptions = { ...runWorkerDefaults, machineId, machineName: "fake host" }

/** A worker in the background of the test, which lets it come to its end when the test is over. */
export const startWorker = Effect.fnUntraced(function*(options: Partial<RunWorkerOptions> = {}) {
  const worker = yield* Effect.forkDetach(runWorker({ ...workerOptions, ...options }), { startImmediately: true })
  const link = yield* StoreLink
  const fake = yield* FakeHost
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      Object.assign(link, { away: false, before: () => Effect.void, after: () => Effect.void })
      fake.setStopMillis(0)
      const stopping = yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* until("the worker has ended", Effect.sync(() => stopping.pollUnsafe() !== undefined), 120_000, 1000)
    })
  )
  return worker
})
