// Coppice inside an application of your own: its use cases are functions, called without any HTTP.
import { localHostLayer } from "@coppice/adapter-git"
import { embeddedLayer, migrate, storeLayer } from "@coppice/adapter-store"
import {
  createAutomation,
  createProject,
  CurrentPrincipal,
  diffWorkspace,
  foundOrganization,
  MachineId,
  newId,
  registerHost,
  runWorker,
  runWorkerDefaults,
  startRun,
  waitForRun
} from "@coppice/core"
import { runMain } from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { join } from "node:path"
import { type Scratch, scratch } from "./scratch.ts"

// Put your coding agent here. This one only keeps what it is asked.
const agent = {
  id: "scribe",
  name: "Scribe",
  command: [process.execPath, "-e", "process.stdin.pipe(fs.createWriteStream('PROMPT.md'))"],
  prompt: "stdin" as const
}

/** What the use cases need: every store on a migrated database, and a host. Any of them may be an adapter of your own. */
const services = (machineId: MachineId, { folder, home }: Scratch) =>
  Layer.merge(storeLayer, localHostLayer({ machineId, home, repositoryRoots: [folder], agents: [agent] })).pipe(
    Layer.provide(Layer.effectDiscard(migrate)),
    Layer.provide(embeddedLayer({ directory: join(home, "database") }))
  )

/** Done once: an organization with its owner, and this machine as its host. */
const setUp = Effect.fn("setUp")(function*(machineId: MachineId) {
  const { owner } = yield* foundOrganization({ organizationName: "Home", email: "me@example.com", name: "Me" })
  const facts = { machineId, name: "here", platform: process.platform, agents: [agent.id], maxConcurrentRuns: 1 }
  yield* registerHost(owner.organizationId, facts)
  return owner
})

/** What people do. Who does it is a service, for your own sign-in to provide. */
const work = Effect.fn("work")(function*(repositoryPath: string) {
  const project = yield* createProject({ repositoryPath })
  const prompt = "Look into this report."
  const automation = yield* createAutomation({ name: "triage", projectId: project.id, agent: agent.id, prompt })
  const queued = yield* startRun(automation.id, { report: "The login button does nothing." })
  const run = yield* waitForRun(queued.id, 60)
  if (run.status !== "succeeded") return yield* Effect.fail(new Error(`The run is ${run.status}. ${run.failure?.message}`))
  return yield* diffWorkspace(run.workspaceId!, "patch")
})

const program = Effect.gen(function*() {
  const place = yield* scratch
  // Who this machine is. An application that keeps its data keeps the id beside it.
  const machineId = yield* newId(MachineId)
  const diff = yield* Effect.gen(function*() {
    const { organizationId, role, userId } = yield* setUp(machineId)
    // Core does nothing by itself: runs are taken up by the worker that an application forks. It ends with the scope.
    yield* Effect.forkScoped(runWorker({ ...runWorkerDefaults, machineId, machineName: "here" }))
    return yield* Effect.provideService(work(place.repository), CurrentPrincipal, { organizationId, role, userId })
  }).pipe(Effect.scoped, Effect.provide(services(machineId, place)))
  console.log(diff.patch)
})

// However it ends, by a signal too: agents end with their worker, then the database is closed, then the folder goes.
runMain(program.pipe(Effect.scoped, Effect.provide(layerWebCrypto)))
