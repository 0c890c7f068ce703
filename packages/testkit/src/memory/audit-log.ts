import { AuditLog } from "@coppice/core/ports"
import { Effect, Layer } from "effect"
import { MemoryDatabase, step } from "./memory-database.ts"
import { insert, owned, pageOf } from "./table.ts"

export const auditLogMemory = Layer.effect(
  AuditLog,
  Effect.gen(function*() {
    const { auditEntries } = yield* MemoryDatabase
    return AuditLog.of({
      add: (entry) => step(() => insert(auditEntries, entry.id, entry)),
      list: (organizationId, page) => step(() => pageOf(owned(auditEntries.values(), organizationId), page))
    })
  })
)
