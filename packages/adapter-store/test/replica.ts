import type { AutomationId, HostId, MachineId, MemberId, OrganizationId, ProjectId, RunId, SecretHash, Timestamp, UserId } from "@coppice/core"
import { AutomationStore, HostStore, OrganizationStore, ProjectStore } from "@coppice/core/ports"
import { freshDatabase } from "@coppice/testkit/postgres/vitest"
import { type Context, DateTime, Effect, Layer, Redacted } from "effect"
import { uuidV7Unsafe } from "effect/crypto/SecureRandom"
import { migrate, postgresLayer, storeLayer } from "../src/index.ts"

/** A new id of whatever kind is asked for. */
export const id = <Id extends string>(): Id => uuidV7Unsafe() as Id

export const at: Timestamp = DateTime.makeUnsafe("2026-11-20T10:00:00.123Z")

/** One more process on a database: a client of its own, and every store on it. It ends with the scope. */
export const replica = (url: string, maxConnections = 10) =>
  Layer.build(Layer.provideMerge(storeLayer, postgresLayer({ url: Redacted.make(url), maxConnections })))

export type Replica = Effect.Success<ReturnType<typeof replica>>

/** What a replica provides. */
export type Services = Replica extends Context.Context<infer R> ? R : never

/** A new database with the schema. */
export const migratedDatabase = Effect.gen(function*() {
  const url = yield* freshDatabase
  yield* migrate.pipe(Effect.provide(postgresLayer({ url: Redacted.make(url) })))
  return url
})

/** An organization with a machine and a project. */
export const world = Effect.gen(function*() {
  const times = { createdAt: at, updatedAt: at }
  const organizationId = id<OrganizationId>()
  const userId = id<UserId>()
  const machineId = id<MachineId>()
  const email = `${userId}@example.org`
  yield* (yield* OrganizationStore).found(
    { id: organizationId, name: "Acme", ...times },
    { id: userId, email, name: "Ada", activeOrganizationId: organizationId, ...times },
    { id: id<MemberId>(), organizationId, userId, email, name: "Ada", role: "owner", ...times }
  )
  const facts = { machineId, name: "box", platform: "linux-x64", agents: ["claude"], maxConcurrentRuns: 4 }
  const host = yield* (yield* HostStore).register(organizationId, id<HostId>(), facts, at)
  const projectId = id<ProjectId>()
  yield* (yield* ProjectStore).create({
    id: projectId,
    organizationId,
    name: "site",
    hostId: host.id,
    repositoryPath: "/repository",
    baseBranch: "main",
    trusted: false,
    ...times
  })
  return { organizationId, userId, machineId, projectId, facts }
})
export type World = Effect.Success<typeof world>

/** A hash that no other number has. */
export const hash = (number: number): SecretHash => number.toString(16).padStart(64, "0") as SecretHash

let automations = 0

/** An automation with a webhook token. */
export const automation = Effect.fnUntraced(function*(
  { organizationId, projectId, userId }: World,
  changes: { readonly maxConcurrentRuns?: number; readonly workspaceMode?: "reuse" } = {}
) {
  const store = yield* AutomationStore
  const number = ++automations
  const automationId = id<AutomationId>()
  yield* store.create({
    id: automationId,
    organizationId,
    name: `automation ${number}`,
    status: "active",
    prompt: "Look at it.",
    agent: "claude",
    projectId,
    workspaceMode: "fresh",
    timeoutSeconds: 60,
    maxAttempts: 2,
    ownerId: userId,
    createdAt: at,
    updatedAt: at,
    ...changes
  })
  yield* store.rotateWebhookToken(organizationId, automationId, hash(number), at)
  return { automationId, tokenHash: hash(number) }
})

/** The run that a delivery brings. */
export const run = () => ({ id: id<RunId>(), payload: new TextEncoder().encode(`{"a":1}`), receivedAt: at })
