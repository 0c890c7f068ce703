import { AuditEntry, AuditEntryId, newId, now, type OrganizationId } from "@coppice/core"
import { AuditLog } from "@coppice/core/ports"
import { Arbitrary, Effect, Schema } from "effect"
import { assert } from "vitest"
import { fiveTimes, instants, pagesThrough, property, sameAll, test } from "./check.ts"
import { seedTenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

const seedEntry = Effect.fnUntraced(function*(organizationId: OrganizationId, fields: Partial<AuditEntry> = {}) {
  const entry: AuditEntry = {
    id: yield* newId(AuditEntryId),
    organizationId,
    action: "user.signed_in",
    subject: "Seeded",
    address: "192.0.2.1",
    at: yield* now,
    ...fields
  }
  yield* (yield* AuditLog).add(entry)
  return entry
})

const { action, address, subject } = AuditEntry.fields
const fields = Arbitrary.all({
  action: Arbitrary.schema(action),
  subject: Arbitrary.schema(subject),
  address: Arbitrary.schema(address),
  subjectId: Arbitrary.schema(Schema.String),
  at: instants,
  byNobody: Arbitrary.schema(Schema.Boolean),
  toNothing: Arbitrary.schema(Schema.Boolean)
})

export const auditLogContract = storeContract("AuditLog", () => [
  property("keeps an entry as it was given", fields, ({ byNobody, subjectId, toNothing, ...fields }) =>
    Effect.gen(function*() {
      const { organization, user } = yield* seedTenant
      const entry = yield* seedEntry(organization.id, {
        ...fields,
        ...(byNobody ? {} : { actorId: user.id }),
        ...(toNothing ? {} : { subjectId })
      })
      sameAll(AuditEntry, (yield* (yield* AuditLog).list(organization.id, {})).items, [entry])
    })),
  test("lists the entries of an organization, newest first, page by page, and no other's", Effect.gen(function*() {
    const log = yield* AuditLog
    const { organization } = yield* seedTenant
    yield* seedEntry((yield* seedTenant).organization.id)
    const entries = yield* fiveTimes(seedEntry(organization.id))
    yield* pagesThrough(entries, (page) => log.list(organization.id, page))
    assert.deepStrictEqual((yield* log.list((yield* seedTenant).organization.id, {})).items, [])
  }))
])
