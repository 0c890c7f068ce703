import { AuditEntry } from "@coppice/core"
import { AuditLog } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { columns, instant, pageBounds, pageOf, recordOf } from "./record.ts"

const toEntry = recordOf(AuditEntry)

export const auditLogLayer = Layer.effect(
  AuditLog,
  Effect.gen(function*() {
    const sql = yield* SqlClient
    return AuditLog.of({
      add: Effect.fn("AuditLog.add")(function*(entry) {
        yield* sql`INSERT INTO audit_entries ${
          sql.insert(columns({
            id: entry.id,
            organizationId: entry.organizationId,
            action: entry.action,
            actorId: entry.actorId,
            subject: entry.subject,
            subjectId: entry.subjectId,
            address: entry.address,
            at: instant(entry.at)
          }))
        }`
      }, Effect.orDie),
      list: Effect.fn("AuditLog.list")(function*(organizationId, page) {
        const { before, fetch } = pageBounds(page)
        const rows = yield* sql`
          SELECT * FROM audit_entries WHERE organization_id = ${organizationId} AND id < ${before} ORDER BY id DESC LIMIT ${fetch}`
        return pageOf(rows.map(toEntry), page)
      }, Effect.orDie)
    })
  })
)
