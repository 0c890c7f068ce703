import {
  type AuditAction,
  addMember,
  createApiKey,
  createProject,
  CurrentPrincipal,
  listApiKeys,
  listAuditEntries,
  type Principal,
  revokeApiKey,
  rotateWebhookToken
} from "@coppice/core"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe } from "vitest"
import { makeTenant, makeWorld, worldLayer } from "./world.ts"

const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const acting = (principal: Principal) => Effect.provideService(CurrentPrincipal, principal)

/** A world with an admin and a member beside its owner, and a second project. */
const makeOffice = Effect.gen(function*() {
  const world = yield* makeWorld
  world.fake.addRepository("/code/vault", { "README.md": "Vault\n" })
  const vault = yield* world.as(createProject({ repositoryPath: "/code/vault" }))
  const join = Effect.fnUntraced(function*(name: string, role: "admin" | "member") {
    const { user } = yield* world.as(addMember({ email: `${name}@example.com`, name, role }))
    const principal: Principal = { ...world.principal, userId: user.id, role }
    return { principal, as: acting(principal) }
  })
  const entries = Effect.map(world.as(listAuditEntries({})), ({ items }) => items)
  const written = Effect.map(entries, (all) => all.map(({ action }): AuditAction => action))
  return { ...world, vault, admin: yield* join("ada", "admin"), member: yield* join("ben", "member"), entries, written }
})

describe("a key of least privilege", () => {
  it.effect("is for what it was asked for: reading, and projects by id or name, each once", () =>
    Effect.gen(function*() {
      const office = yield* makeOffice
      const { key } = yield* office.as(
        createApiKey({ name: "ci", access: "read", projectIds: ["shop", office.vault.id, office.project.id] })
      )
      assert.strictEqual(key.access, "read")
      assert.deepStrictEqual(key.projectIds, [office.project.id, office.vault.id])
      const { key: whole } = yield* office.as(createApiKey({ name: "whole" }))
      assert.strictEqual(whole.access, "full")
      assert.notProperty(whole, "projectIds")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("names projects that are there, and at least one", () =>
    Effect.gen(function*() {
      const office = yield* makeOffice
      const stranger = yield* makeTenant("other")
      const { id } = office.project
      assert.strictEqual(yield* tag(office.as(createApiKey({ name: "a", projectIds: [id, "nowhere"] }))), "NotFound")
      assert.strictEqual(yield* tag(stranger.as(createApiKey({ name: "a", projectIds: [id] }))), "NotFound")
      assert.strictEqual(yield* tag(office.as(createApiKey({ name: "a", projectIds: [] }))), "InvalidRequest")
      const many = Array.from({ length: 101 }, () => id)
      assert.strictEqual(yield* tag(office.as(createApiKey({ name: "a", projectIds: many }))), "InvalidRequest")
      assert.lengthOf((yield* office.as(listApiKeys({}))).items, 0)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("opens no more than whoever issues it has", () =>
    Effect.gen(function*() {
      const office = yield* makeOffice
      const reading = acting({ ...office.principal, access: "read" })
      assert.strictEqual(yield* tag(reading(createApiKey({ name: "a", access: "read" }))), "Forbidden")
      const bound = acting({ ...office.principal, projectIds: [office.vault.id] })
      assert.deepStrictEqual((yield* bound(createApiKey({ name: "a" }))).key.projectIds, [office.vault.id])
      assert.strictEqual(yield* tag(bound(createApiKey({ name: "a", projectIds: [office.project.id] }))), "NotFound")
      const both = [office.vault.id, office.project.id]
      assert.strictEqual(yield* tag(bound(createApiKey({ name: "a", projectIds: both }))), "NotFound")
      const { userId: owner } = office.principal
      assert.strictEqual(yield* tag(office.admin.as(createApiKey({ name: "a", userId: owner }))), "Forbidden")
      yield* office.admin.as(createApiKey({ name: "a", userId: office.member.principal.userId }))
      yield* office.as(createApiKey({ name: "a", userId: office.admin.principal.userId }))
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is shown to and ended by its user, and by admins", () =>
    Effect.gen(function*() {
      const office = yield* makeOffice
      const { key: theirs } = yield* office.member.as(createApiKey({ name: "laptop" }))
      const { key: owners } = yield* office.as(createApiKey({ name: "laptop" }))
      const shown = (as: typeof office.member.as) => Effect.map(as(listApiKeys({})), ({ items }) => items.map(({ id }) => id))
      assert.deepStrictEqual(yield* shown(office.member.as), [theirs.id])
      assert.deepStrictEqual(yield* shown(office.admin.as), [owners.id, theirs.id])
      assert.strictEqual(yield* tag(office.member.as(revokeApiKey(owners.id))), "NotFound")
      assert.strictEqual((yield* office.member.as(revokeApiKey("laptop"))).id, theirs.id)
      assert.strictEqual((yield* office.admin.as(revokeApiKey("laptop"))).id, owners.id)
      assert.strictEqual(yield* tag(acting({ ...office.principal, access: "read" })(revokeApiKey(owners.id))), "Forbidden")
    }).pipe(Effect.provide(worldLayer)))
})

describe("the audit log", () => {
  it.effect("has who issued and who ended a key, once each, and not the key", () =>
    Effect.gen(function*() {
      const office = yield* makeOffice
      const { key, secret } = yield* office.member.as(createApiKey({ name: "laptop" }))
      yield* office.admin.as(revokeApiKey(key.id))
      yield* TestClock.adjust("1 second")
      yield* office.admin.as(revokeApiKey(key.id))
      assert.strictEqual(yield* tag(office.admin.as(revokeApiKey("nowhere"))), "NotFound")
      const [revoked, created] = yield* office.entries
      assert.deepInclude(created, {
        action: "api_key.created",
        actorId: office.member.principal.userId,
        subject: "laptop",
        subjectId: key.id,
        address: "this machine"
      })
      assert.deepInclude(revoked, { action: "api_key.revoked", actorId: office.admin.principal.userId, subjectId: key.id })
      assert.lengthOf(yield* office.written, 2)
      assert.notInclude(JSON.stringify(yield* office.entries), secret)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("has that a webhook token was replaced, and not the token", () =>
    Effect.gen(function*() {
      const office = yield* makeOffice
      const automation = yield* office.automate()
      const { token } = yield* office.as(rotateWebhookToken("Review"))
      const [rotated] = yield* office.entries
      assert.deepInclude(rotated, { action: "automation.token_rotated", subject: "Review", subjectId: automation.id })
      assert.notInclude(JSON.stringify(rotated), token)
      assert.strictEqual(yield* tag(acting({ ...office.principal, access: "read" })(rotateWebhookToken("Review"))), "Forbidden")
      assert.lengthOf(yield* office.written, 1)
    }).pipe(Effect.provide(worldLayer)))
})
