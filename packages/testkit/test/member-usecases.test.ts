import {
  addMember,
  changeRole,
  createApiKey,
  createServiceClient,
  CurrentPrincipal,
  getMember,
  hashSecret,
  listAuditEntries,
  type Principal,
  removeMember
} from "@coppice/core"
import { ApiKeyStore } from "@coppice/core/ports"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { assert, describe } from "vitest"
import { makeTenant, worldLayer } from "./world.ts"

const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const acting = (principal: Principal) => Effect.provideService(CurrentPrincipal, principal)

const makeOffice = Effect.gen(function*() {
  const tenant = yield* makeTenant("acme")
  const join = Effect.fnUntraced(function*(name: string, role: "admin" | "member") {
    const { user } = yield* tenant.as(addMember({ email: `${name}@example.com`, name, role }))
    const principal: Principal = { ...tenant.principal, userId: user.id, role }
    return { principal, userId: user.id, email: user.email, as: acting(principal) }
  })
  const entries = Effect.map(tenant.as(listAuditEntries({})), ({ items }) => items)
  return { ...tenant, ada: yield* join("ada", "admin"), eve: yield* join("eve", "admin"), ben: yield* join("ben", "member"), entries }
})

describe("a member's role", () => {
  it.effect("is changed by an admin, and that is written down", () =>
    Effect.gen(function*() {
      const { ada, ben, entries } = yield* makeOffice
      assert.strictEqual((yield* ada.as(changeRole(ben.email, "admin"))).role, "admin")
      assert.strictEqual((yield* ada.as(getMember(ben.userId))).role, "admin")
      yield* ada.as(changeRole(ben.userId, "admin"))
      const written = yield* entries
      assert.lengthOf(written, 1)
      assert.deepInclude(written[0], { action: "member.role_changed", actorId: ada.userId, subject: ben.email, subjectId: ben.userId })
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is not changed by members, nor the owner's, nor anybody's own, nor by a credential that may less", () =>
    Effect.gen(function*() {
      const { ada, as, ben, entries, principal, user } = yield* makeOffice
      assert.strictEqual(yield* tag(ben.as(changeRole(ben.userId, "admin"))), "Forbidden")
      assert.strictEqual(yield* tag(ben.as(changeRole(ada.userId, "member"))), "Forbidden")
      assert.strictEqual(yield* tag(ada.as(changeRole(user.id, "member"))), "Forbidden")
      assert.strictEqual(yield* tag(as(changeRole(user.id, "member"))), "Forbidden")
      assert.strictEqual(yield* tag(ada.as(changeRole(ada.userId, "member"))), "Forbidden")
      assert.strictEqual(yield* tag(acting({ ...principal, access: "read" })(changeRole(ben.userId, "admin"))), "Forbidden")
      const stranger = yield* makeTenant("other")
      assert.strictEqual(yield* tag(stranger.as(changeRole(ben.userId, "admin"))), "NotFound")
      assert.deepStrictEqual((yield* as(getMember(ben.userId))).role, "member")
      assert.deepStrictEqual(yield* entries, [])
    }).pipe(Effect.provide(worldLayer)))
})

describe("removing a member", () => {
  it.effect("ends what they had, and is written down", () =>
    Effect.gen(function*() {
      const { ada, ben, entries } = yield* makeOffice
      const { secret } = yield* ben.as(createApiKey({ name: "laptop" }))
      assert.strictEqual((yield* ada.as(removeMember(ben.email))).userId, ben.userId)
      assert.strictEqual(yield* tag(ada.as(getMember(ben.userId))), "NotFound")
      assert.isUndefined(yield* (yield* ApiKeyStore).identify(hashSecret("apiKey", secret)!))
      assert.strictEqual(yield* tag(ada.as(removeMember(ben.email))), "NotFound")
      const [removed, ...before] = yield* entries
      assert.deepInclude(removed, { action: "member.removed", actorId: ada.userId, subject: ben.email, subjectId: ben.userId })
      assert.lengthOf(before, 1)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is for admins; but who wants to leave may, unless they own the organization", () =>
    Effect.gen(function*() {
      const { ada, as, ben, entries, eve, principal, user } = yield* makeOffice
      assert.strictEqual(yield* tag(ben.as(removeMember(ada.userId))), "Forbidden")
      assert.strictEqual(yield* tag(ada.as(removeMember(user.id))), "Forbidden")
      assert.strictEqual(yield* tag(as(removeMember(user.id))), "Forbidden")
      assert.strictEqual(yield* tag(acting({ ...principal, access: "read" })(removeMember(ben.userId))), "Forbidden")
      assert.strictEqual(yield* tag(acting({ ...ben.principal, access: "read" })(removeMember(ben.userId))), "Forbidden")
      assert.deepStrictEqual(yield* entries, [])
      yield* ben.as(removeMember(ben.userId))
      yield* ada.as(removeMember(ada.userId))
      yield* as(removeMember(eve.userId))
      assert.deepStrictEqual((yield* entries).map(({ actorId }) => actorId), [user.id, ada.userId, ben.userId])
    }).pipe(Effect.provide(worldLayer)))
})

describe("the member of a service client", () => {
  it.effect("keeps its role, and goes with the client only", () =>
    Effect.gen(function*() {
      const { as } = yield* makeOffice
      const { client } = yield* as(createServiceClient({ name: "deploy" }))
      const { userId } = client.service!
      assert.strictEqual(yield* tag(as(changeRole(userId, "admin"))), "Forbidden")
      assert.strictEqual(yield* tag(as(removeMember(userId))), "Forbidden")
      assert.strictEqual((yield* as(getMember(userId))).role, "member")
    }).pipe(Effect.provide(worldLayer)))
})
