import { Workspace } from "@coppice/core"
import { WorkspaceStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { nameTaken } from "./conflict.ts"
import { columns, escapeText, failureColumns, instant, pageBounds, pageOf, present, recordOf, reference } from "./record.ts"

const toWorkspace = recordOf(Workspace)

/** Workspaces. The index `workspaces_name_taken` leaves deleted ones out, so that their names are free again. */
export const workspaceStoreLayer = Layer.effect(
  WorkspaceStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return WorkspaceStore.of({
      create: Effect.fn("WorkspaceStore.create")(function*(workspace) {
        yield* sql`INSERT INTO workspaces ${
          sql.insert(columns({
            id: workspace.id,
            organizationId: workspace.organizationId,
            name: workspace.name,
            projectId: workspace.projectId,
            hostId: workspace.hostId,
            status: workspace.status,
            branch: workspace.branch,
            baseBranch: workspace.baseBranch,
            baseCommit: workspace.baseCommit,
            path: workspace.path,
            taskId: workspace.taskId,
            ...failureColumns(workspace.failure),
            createdAt: instant(workspace.createdAt),
            updatedAt: instant(workspace.updatedAt)
          }))
        }`.pipe(nameTaken("workspaces_name_taken", "workspace", workspace.name))
      }),
      get: Effect.fn("WorkspaceStore.get")(function*(organizationId, idOrName) {
        const { id, name } = reference(idOrName)
        const rows = yield* sql<{ readonly id: string }>`
          SELECT * FROM workspaces
          WHERE organization_id = ${organizationId} AND (id = ${id} OR (name = ${name} AND status <> 'deleted'))
          ORDER BY id = ${id} DESC NULLS LAST LIMIT 2`
        const row = rows.find((workspace) => workspace.id === id) ?? (rows.length === 1 ? rows[0] : undefined)
        return row === undefined ? undefined : toWorkspace(row)
      }, Effect.orDie),
      list: Effect.fn("WorkspaceStore.list")(function*(organizationId, filter, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT * FROM workspaces
          WHERE ${
          sql.and([
            sql`organization_id = ${organizationId}`,
            sql`id < ${before}`,
            filter.status === undefined ? sql`status <> 'deleted'` : sql`status = ${filter.status}`,
            ...(filter.projectId === undefined ? [] : [sql`project_id = ${filter.projectId}`]),
            ...(filter.taskId === undefined ? [] : [sql`task_id = ${filter.taskId}`])
          ])
        } ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toWorkspace), page)
      }, Effect.orDie),
      rename: Effect.fn("WorkspaceStore.rename")(function*(organizationId, id, name, at) {
        const [row] = yield* sql`
          UPDATE workspaces SET name = ${escapeText(name)}, updated_at = ${instant(at)}
          WHERE organization_id = ${organizationId} AND id = ${id} RETURNING *`.pipe(
          nameTaken("workspaces_name_taken", "workspace", name)
        )
        return row === undefined ? undefined : toWorkspace(row)
      }),
      transition: Effect.fn("WorkspaceStore.transition")(function*(organizationId, id, from, to, patch, at) {
        const changes = {
          status: to,
          updatedAt: instant(at),
          ...present(patch, ["baseCommit", "path"]),
          ...(patch.failure === undefined && to === "failed" ? {} : failureColumns(patch.failure))
        }
        const [row] = yield* sql`
          UPDATE workspaces SET ${sql.update(columns(changes))}
          WHERE organization_id = ${organizationId} AND id = ${id} AND status = ANY(${from}) RETURNING *`
        return row === undefined ? undefined : toWorkspace(row)
      }, Effect.orDie),
      unsettled: Effect.fn("WorkspaceStore.unsettled")(function*(machineId) {
        const rows = yield* sql`
          SELECT w.* FROM hosts h JOIN workspaces w ON w.organization_id = h.organization_id AND w.host_id = h.id
          WHERE h.machine_id = ${machineId} AND w.status IN ('creating', 'deleting') ORDER BY w.id`
        return rows.map(toWorkspace)
      }, Effect.orDie)
    })
  })
)
