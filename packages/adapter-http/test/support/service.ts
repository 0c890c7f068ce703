import {
  ApiKeyId,
  AutomationId,
  type CurrentPrincipal,
  generateSecret,
  hashSecret,
  HostId,
  MachineId,
  MemberId,
  newId,
  OrganizationId,
  ProjectId,
  type Tool,
  UserId
} from "@coppice/core"
import { ApiKeyStore, WebhookInbox } from "@coppice/core/ports"
import { FakeHost, fakeHostLayer } from "@coppice/testkit/fake"
import { MemoryDatabase, memoryLayer, type MemoryStores } from "@coppice/testkit/memory"
import { Clock, Context, DateTime, Effect, Layer, Logger, ManagedRuntime } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { createHttpApp, type HttpApp, type HttpAppOptions, type HttpPorts, passwordHasherLayer } from "../../src/index.ts"

/** The real clock, put forward by as much as a test asks. */
const makeClock = (ahead: { millis: number }): Clock.Clock => {
  const real = Effect.runSync(Clock.clockWith(Effect.succeed))
  const millis = () => real.currentTimeMillisUnsafe() + ahead.millis
  return Object.assign(Object.create(real) as Clock.Clock, {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis)
  })
}

/** How often the stores were asked, and what they are to fail with. */
export interface Watch {
  keys: number
  inbox: number
  defect?: unknown
}

/** The memory stores, counted, and breakable as a database is. */
const watchedStores = (watch: Watch) =>
  Layer.effectContext(Effect.gen(function*() {
    const context = yield* Effect.context<ApiKeyStore | WebhookInbox>()
    const keys = yield* ApiKeyStore
    const inbox = yield* WebhookInbox
    const broken = Effect.suspend(() => watch.defect === undefined ? Effect.yieldNow : Effect.die(watch.defect))
    return Context.merge(
      context,
      Context.make(ApiKeyStore, {
        ...keys,
        authenticate: (...args) => (watch.keys++, Effect.andThen(broken, keys.authenticate(...args)))
      }).pipe(Context.add(WebhookInbox, {
        receive: (delivery) => (watch.inbox++, Effect.andThen(broken, inbox.receive(delivery)))
      }))
    )
  }))

const machineId = MachineId.make("0199a000-0000-7000-8000-00000000c0de")

export interface Service {
  readonly app: HttpApp
  readonly ahead: { millis: number }
  readonly database: MemoryDatabase["Service"]
  readonly host: FakeHost["Service"]
  readonly logs: ReadonlyArray<unknown>
  readonly runtime: ManagedRuntime.ManagedRuntime<HttpPorts | MemoryStores, never>
  readonly watch: Watch
  readonly addKey: () => Promise<
    { key: string; id: ApiKeyId; organizationId: OrganizationId; userId: UserId; memberId: MemberId }
  >
  readonly addAutomation: () => Promise<
    { id: AutomationId; token: string; path: string; put: (status: "active" | "paused", secret: string) => void }
  >
  readonly newToken: () => Promise<string>
  readonly payloadsOf: (id: AutomationId) => ReadonlyArray<Buffer>
}

/** A service on stores in memory, with what a test needs to look behind it. */
export const makeService = async (options: Partial<HttpAppOptions<never>> = {}): Promise<Service> => {
  const watch: Watch = { keys: 0, inbox: 0 }
  const ahead = { millis: 0 }
  const logs: Array<unknown> = []
  const runtime = ManagedRuntime.make(
    watchedStores(watch).pipe(
      Layer.provideMerge(memoryLayer),
      Layer.provideMerge(Layer.mergeAll(
        MemoryDatabase.layer,
        fakeHostLayer({ machineId }),
        passwordHasherLayer,
        SecureRandom.layerWebCrypto,
        Layer.succeed(Clock.Clock, makeClock(ahead)),
        Logger.layer([Logger.make(({ cause, message }) => void logs.push({ message, cause: String(cause) }))])
      ))
    )
  )
  const context = await runtime.context()
  const database: MemoryDatabase["Service"] = await runtime.runPromise(MemoryDatabase)
  const host: FakeHost["Service"] = await runtime.runPromise(FakeHost)
  const app = createHttpApp<never>({ tools: [], version: "1.2.3", ...options, context })
  const at = await runtime.runPromise(DateTime.now)
  const times = { createdAt: at, updatedAt: at }

  const addKey = () =>
    runtime.runPromise(Effect.gen(function*() {
      const key = yield* generateSecret("apiKey")
      const [organizationId, userId, id] = [yield* newId(OrganizationId), yield* newId(UserId), yield* newId(ApiKeyId)]
      const person = { organizationId, userId, email: `${userId}@example.com`, name: "A", role: "member", ...times } as const
      const memberId = yield* newId(MemberId)
      database.members.set(memberId, { id: memberId, ...person })
      yield* (yield* ApiKeyStore).create({ id, organizationId, userId, name: "key", access: "full", ...times }, hashSecret("apiKey", key)!)
      return { key, id, organizationId, userId, memberId }
    }))
  const addAutomation = () =>
    runtime.runPromise(Effect.gen(function*() {
      const [organizationId, id, projectId] = [yield* newId(OrganizationId), yield* newId(AutomationId), yield* newId(ProjectId)]
      const token = yield* generateSecret("webhookToken")
      const hostId = yield* newId(HostId)
      database.projects.set(projectId, { id: projectId, organizationId, hostId } as never)
      const put = (status: "active" | "paused", secret: string) =>
        database.automations.set(id, {
          automation: { id, organizationId, projectId, status, name: "Nightly" } as never,
          tokenHash: hashSecret("webhookToken", secret)!
        })
      put("active", token)
      return { id, token, path: `/api/automations/webhook/${id}`, put }
    }))
  const newToken = () => runtime.runPromise(generateSecret("webhookToken"))
  const payloadsOf = (id: AutomationId): ReadonlyArray<Buffer> =>
    [...database.runs.values()].filter(({ run }) => run.automationId === id).map(({ payload }) => Buffer.from(payload!))
  return { app, ahead, database, host, logs, runtime, watch, addKey, addAutomation, newToken, payloadsOf }
}


/** A tool for tests; what it does is given. */
export const testTool = (
  name: string,
  call: Tool<CurrentPrincipal>["call"],
  toolset = "tests"
): Tool<CurrentPrincipal> => ({
  name,
  title: name,
  description: `Does ${name}.`,
  toolset,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: { type: "object", properties: {}, additionalProperties: true },
  outputSchema: { type: "object" },
  call
})
