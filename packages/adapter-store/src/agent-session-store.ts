import { AgentSession } from "@coppice/core"
import { AgentSessionStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { columns, failureColumns, instant, pageBounds, pageOf, present, recordOf } from "./record.ts"

const toSession = recordOf(AgentSession)

export const agentSessionStoreLayer = Layer.effect(
  AgentSessionStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return AgentSessionStore.of({
      create: Effect.fn("AgentSessionStore.create")(function*(session) {
        yield* sql`INSERT INTO agent_sessions ${
          sql.insert(columns({
            id: session.id,
            organizationId: session.organizationId,
            workspaceId: session.workspaceId,
            agent: session.agent,
            title: session.title,
            status: session.status,
            exitCode: session.exitCode,
            ...failureColumns(session.failure),
            startedAt: instant(session.startedAt),
            endedAt: instant(session.endedAt),
            createdAt: instant(session.createdAt),
            updatedAt: instant(session.updatedAt)
          }))
        }`
      }, Effect.orDie),
      get: Effect.fn("AgentSessionStore.get")(function*(organizationId, id) {
        const [row] = yield* sql`SELECT * FROM agent_sessions WHERE organization_id = ${organizationId} AND id = ${id}`
        return row === undefined ? undefined : toSession(row)
      }, Effect.orDie),
      list: Effect.fn("AgentSessionStore.list")(function*(organizationId, filter, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT * FROM agent_sessions
          WHERE ${
          sql.and([
            sql`organization_id = ${organizationId}`,
            sql`id < ${before}`,
            ...(filter.workspaceId === undefined ? [] : [sql`workspace_id = ${filter.workspaceId}`])
          ])
        } ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toSession), page)
      }, Effect.orDie),
      transition: Effect.fn("AgentSessionStore.transition")(function*(organizationId, id, from, to, patch, at) {
        const changes = {
          status: to,
          updatedAt: instant(at),
          ...present(patch, ["exitCode"]),
          ...(patch.failure === undefined ? {} : failureColumns(patch.failure)),
          ...(patch.startedAt === undefined ? {} : { startedAt: instant(patch.startedAt) }),
          ...(patch.endedAt === undefined ? {} : { endedAt: instant(patch.endedAt) })
        }
        const [row] = yield* sql`
          UPDATE agent_sessions SET ${sql.update(columns(changes))}
          WHERE organization_id = ${organizationId} AND id = ${id} AND status = ANY(${from}) RETURNING *`
        return row === undefined ? undefined : toSession(row)
      }, Effect.orDie),
      unsettled: Effect.fn("AgentSessionStore.unsettled")(function*(machineId) {
        const rows = yield* sql`
          SELECT s.* FROM agent_sessions s
          JOIN workspaces w ON w.organization_id = s.organization_id AND w.id = s.workspace_id
          JOIN hosts h ON h.organization_id = w.organization_id AND h.id = w.host_id
          WHERE h.machine_id = ${machineId} AND s.status IN ('starting', 'running', 'awaiting_input', 'lost') ORDER BY s.id`
        return rows.map(toSession)
      }, Effect.orDie)
    })
  })
)
