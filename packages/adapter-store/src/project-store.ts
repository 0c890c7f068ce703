import { Conflict, Project } from "@coppice/core"
import { ProjectStore } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { nameTaken } from "./conflict.ts"
import { columns, instant, pageBounds, pageOf, present, recordOf, reference, unescapeText } from "./record.ts"

const decode = recordOf(Project)
/** A row of `projects`, its `setup` parsed. */
export const toProject = (row: { readonly setup?: unknown }) =>
  decode(typeof row.setup === "string" ? { ...row, setup: JSON.parse(unescapeText(row.setup)) } : row)

/** Projects. `setup` is JSON text, read and written whole. */
export const projectStoreLayer = Layer.effect(
  ProjectStore,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return ProjectStore.of({
      create: Effect.fn("ProjectStore.create")(function*(project) {
        yield* sql`INSERT INTO projects ${
          sql.insert(columns({
            id: project.id,
            organizationId: project.organizationId,
            name: project.name,
            hostId: project.hostId,
            repositoryPath: project.repositoryPath,
            repositoryUrl: project.repositoryUrl,
            baseBranch: project.baseBranch,
            setup: project.setup === undefined ? null : JSON.stringify(project.setup),
            trusted: project.trusted,
            createdAt: instant(project.createdAt),
            updatedAt: instant(project.updatedAt)
          }))
        }`.pipe(nameTaken("projects_name_taken", "project", project.name))
      }),
      get: Effect.fn("ProjectStore.get")(function*(organizationId, idOrName) {
        const { id, name } = reference(idOrName)
        const [row] = yield* sql`
          SELECT * FROM projects WHERE organization_id = ${organizationId} AND (id = ${id} OR name = ${name})
          ORDER BY id = ${id} DESC NULLS LAST LIMIT 1`
        return row === undefined ? undefined : toProject(row)
      }, Effect.orDie),
      list: Effect.fn("ProjectStore.list")(function*(organizationId, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT * FROM projects WHERE organization_id = ${organizationId} AND id < ${before} ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toProject), page)
      }, Effect.orDie),
      update: Effect.fn("ProjectStore.update")(function*(organizationId, id, patch, at) {
        const changes = {
          updatedAt: instant(at),
          ...present(patch, ["name", "baseBranch", "trusted"]),
          ...(patch.setup === undefined ? {} : { setup: patch.setup === null ? null : JSON.stringify(patch.setup) })
        }
        const [row] = yield* sql`
          UPDATE projects SET ${sql.update(columns(changes))} WHERE organization_id = ${organizationId} AND id = ${id} RETURNING *`.pipe(
          nameTaken("projects_name_taken", "project", patch.name ?? "")
        )
        return row === undefined ? undefined : toProject(row)
      }),
      remove: Effect.fn("ProjectStore.remove")(function*(organizationId, id) {
        // The lock comes first, in a statement of its own: it waits for whoever is adding to the project, and only a
        // statement that begins after it sees what they added.
        const removed = yield* Effect.gen(function*() {
          const [project] = yield* sql`
            SELECT id FROM projects WHERE organization_id = ${organizationId} AND id = ${id} FOR UPDATE`
          if (project === undefined) return "absent"
          const rows = yield* sql`
            DELETE FROM projects WHERE organization_id = ${organizationId} AND id = ${id}
            AND NOT EXISTS (SELECT FROM automations WHERE organization_id = ${organizationId} AND project_id = ${id})
            AND NOT EXISTS (
              SELECT FROM workspaces WHERE organization_id = ${organizationId} AND project_id = ${id} AND status <> 'deleted'
            ) RETURNING id`
          return rows.length === 1 ? "removed" : "used"
        }).pipe(sql.withTransaction, Effect.orDie)
        if (removed === "used") {
          return yield* new Conflict({
            message: "The project still has automations or workspaces.",
            hint: "Delete its automations and workspaces first."
          })
        }
        return removed === "removed"
      })
    })
  })
)
