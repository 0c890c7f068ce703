import {
  AgentSession,
  agentSessionLifecycle,
  AgentSessionId,
  Failure,
  isFinal,
  MachineId,
  newId,
  now
} from "@coppice/core"
import { AgentSessionStore } from "@coppice/core/ports"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { assert } from "vitest"
import { fiveTimes, idsOf, instants, pagesThrough, property, same, test, twenty } from "./check.ts"
import { seedHost, seedProject, seedSession, seedTenant, seedWorkspace } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedPlace = Effect.fnUntraced(function*(machineId?: MachineId) {
  const { organization } = yield* seedTenant
  const host = yield* seedHost(organization.id, machineId === undefined ? {} : { machineId })
  const project = yield* seedProject(host)
  return { organizationId: organization.id, project, workspace: yield* seedWorkspace(project) }
})

const statuses = AgentSession.fields.status.literals

const fields = Arbitrary.all({
  plain: Arbitrary.schema(Schema.Struct({
    title: Schema.String,
    status: AgentSession.fields.status,
    exitCode: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 255 }))),
    failure: Schema.optionalKey(Failure)
  })),
  startedAt: instants,
  endedAt: instants
})

const failure = { reason: "agent_exit", message: "The agent exited with code 1." } as const

export const agentSessionStoreContract = storeContract("AgentSessionStore", () => [
  property("stores a session, and answers it as it was given", fields, ({ plain, ...instants }) =>
    Effect.gen(function*() {
      const store = yield* AgentSessionStore
      const { organizationId, workspace } = yield* seedPlace()
      const session = yield* seedSession(workspace, { ...plain, ...instants })
      same(AgentSession, yield* store.get(organizationId, session.id), session)
      const bare = yield* seedSession(workspace)
      same(AgentSession, yield* store.get(organizationId, bare.id), bare)
    })),
  test("answers undefined for a session that the organization does not have", Effect.gen(function*() {
    const store = yield* AgentSessionStore
    const { organizationId } = yield* seedPlace()
    const theirs = yield* seedSession((yield* seedPlace()).workspace)
    const at = yield* now
    for (const id of [theirs.id, yield* newId(AgentSessionId)]) {
      assert.isUndefined(yield* store.get(organizationId, id))
      assert.isUndefined(yield* store.transition(organizationId, id, statuses, "failed", {}, at))
    }
    same(AgentSession, yield* store.get(theirs.organizationId, theirs.id), theirs)
  })),
  test("lists the organization's sessions, newest first, page by page", Effect.gen(function*() {
    const store = yield* AgentSessionStore
    yield* seedSession((yield* seedPlace()).workspace)
    const { organizationId, workspace } = yield* seedPlace()
    const sessions = yield* fiveTimes(seedSession(workspace))
    yield* pagesThrough(sessions, (page) => store.list(organizationId, {}, page))
  })),
  test("lists by workspace", Effect.gen(function*() {
    const store = yield* AgentSessionStore
    const { organizationId, project, workspace } = yield* seedPlace()
    const mine = yield* seedSession(workspace)
    const other = yield* seedSession(yield* seedWorkspace(project))
    const list = (filter: Parameters<typeof store.list>[1]) =>
      Effect.map(store.list(organizationId, filter, {}), ({ items }) => idsOf(items))
    assert.deepStrictEqual(yield* list({ workspaceId: workspace.id }), [mine.id])
    assert.deepStrictEqual(yield* list({}), [other.id, mine.id])
  })),
  test("moves from any of the statuses given, with the patch, which changes nothing else", Effect.gen(function*() {
    const store = yield* AgentSessionStore
    const { organizationId, workspace } = yield* seedPlace()
    const session = yield* seedSession(workspace, { status: "starting" })
    const at = DateTime.add(session.updatedAt, { minutes: 1 })
    const running: AgentSession = { ...session, status: "running", startedAt: at, updatedAt: at }
    const move = yield* store.transition(organizationId, session.id, ["lost", "starting"], "running", { startedAt: at }, at)
    same(AgentSession, move, running)
    const patch = { exitCode: 1, failure, endedAt: at }
    const failed: AgentSession = { ...running, ...patch, status: "failed" }
    same(AgentSession, yield* store.transition(organizationId, session.id, ["running"], "failed", patch, at), failed)
    same(AgentSession, yield* store.get(organizationId, session.id), failed)
  })),
  test("moves nothing, and answers undefined, from any other status", Effect.gen(function*() {
    const store = yield* AgentSessionStore
    const { organizationId, workspace } = yield* seedPlace()
    for (const status of statuses) {
      const session = yield* seedSession(workspace, { status })
      const others = statuses.filter((other) => other !== status)
      const at = DateTime.add(session.updatedAt, { minutes: 1 })
      assert.isUndefined(yield* store.transition(organizationId, session.id, others, "failed", { exitCode: 1 }, at))
      assert.isUndefined(yield* store.transition(organizationId, session.id, [], "failed", {}, at))
      same(AgentSession, yield* store.get(organizationId, session.id), session)
    }
  })),
  test("lets exactly one of twenty make a move", Effect.gen(function*() {
    const store = yield* AgentSessionStore
    const { organizationId, workspace } = yield* seedPlace()
    const { id } = yield* seedSession(workspace)
    const at = yield* now
    const moved = yield* twenty((exitCode) =>
      store.transition(organizationId, id, ["running"], "completed", { exitCode }, at)
    )
    const [winner, ...others] = moved.filter((answer) => answer !== undefined)
    assert.strictEqual(others.length, 0)
    same(AgentSession, yield* store.get(organizationId, id), winner)
  })),
  test("knows the sessions of a machine, of every organization, that have not ended", Effect.gen(function*() {
    const store = yield* AgentSessionStore
    const machineId = yield* newId(MachineId)
    const expected: Array<string> = []
    for (const _ of [1, 2]) {
      const { workspace } = yield* seedPlace(machineId)
      for (const status of statuses) {
        const { id } = yield* seedSession(workspace, { status })
        if (!isFinal(agentSessionLifecycle, status)) expected.push(id)
      }
    }
    yield* seedSession((yield* seedPlace()).workspace)
    assert.sameMembers([...idsOf(yield* store.unsettled(machineId))], expected)
  }))
])
