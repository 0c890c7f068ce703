import {
  addMember,
  createApiKey,
  createProject,
  createWorkspace,
  CurrentPrincipal,
  deleteWorkspace,
  foundOrganization,
  getMember,
  hashSecret,
  listApiKeys,
  listMembers,
  pushWorkspace,
  retryRun,
  revokeApiKey,
  startRun
} from "@coppice/core"
import { ApiKeyStore, RunStore } from "@coppice/core/ports"
import { it } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe } from "vitest"
import { makeTenant, makeWorld, repositoryPath, startWorker, StoreLink, until, worldLayer } from "./world.ts"

const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("adding a project", () => {
  it.effect("clones what is given by URL, and takes name and base branch from it", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.addRemoteRepository("https://example.com/team/site.git", { "index.html": "<p>\n" })
      const project = yield* world.as(createProject({ repositoryUrl: "https://example.com/team/site.git" }))
      assert.deepStrictEqual([project.name, project.baseBranch], ["site", "main"])
      assert.strictEqual(project.repositoryUrl, "https://example.com/team/site.git")
      yield* world.as(createWorkspace({ projectId: project.id, name: "Work" }))
      assert.isTrue(world.fake.worktrees()[0]?.files.has("index.html"))
    }).pipe(Effect.provide(worldLayer)))

  it.effect("wants either a path or a URL, and a name that is free", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      assert.strictEqual(yield* tag(world.as(createProject({}))), "InvalidRequest")
      const both = { repositoryPath, repositoryUrl: "https://example.com/a" }
      assert.strictEqual(yield* tag(world.as(createProject(both))), "InvalidRequest")
      assert.strictEqual(yield* tag(world.as(createProject({ repositoryPath }))), "Conflict")
      assert.strictEqual(yield* tag(world.as(createProject({ repositoryPath: "/elsewhere" }))), "InvalidRequest")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("clones nothing for a name that is taken", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.addRemoteRepository("https://example.com/team/site.git", { "index.html": "<p>\n" })
      const clone = createProject({ name: world.project.name, repositoryUrl: "https://example.com/team/site.git" })
      assert.strictEqual(yield* tag(world.as(clone)), "Conflict")
      assert.deepStrictEqual(world.fake.calls("Repositories.clone"), [])
    }).pipe(Effect.provide(worldLayer)))
})

describe("making a workspace", () => {
  it.effect("takes the worktree back when it is interrupted in the last moment", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const link = yield* StoreLink
      // The record cannot be made ready: by then the worktree is there.
      link.before = (name, args) =>
        name === "WorkspaceStore.transition" && args[3] === "ready" ? Effect.sleep(1000) : Effect.void
      const making = yield* Effect.forkChild(world.as(createWorkspace({ projectId: world.project.id, name: "Work" })))
      yield* until("the worktree is there", Effect.sync(() => world.fake.worktrees()[0]?.ready === true))
      const leaving = yield* Effect.forkChild(Fiber.interrupt(making), { startImmediately: true })
      yield* until("it has ended", Effect.sync(() => leaving.pollUnsafe() !== undefined))
      const [workspace] = yield* world.workspaces
      // Whichever it was, record and worktree agree.
      assert.lengthOf(world.fake.worktrees(), workspace?.status === "ready" ? 1 : 0)
      assert.include(["ready", "failed"], workspace?.status)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("takes back what a lost link may have left, and records that it failed", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.interject("Worktrees.create", "link_lost_after")
      assert.strictEqual(yield* tag(world.as(createWorkspace({ projectId: "shop", name: "Work" }))), "LinkLost")
      assert.lengthOf(world.fake.worktrees(), 0)
      const [workspace] = yield* world.workspaces
      assert.strictEqual(workspace?.status, "failed")
      yield* world.as(deleteWorkspace(workspace!.id, false))
      assert.lengthOf(yield* world.workspaces, 0)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("records a host's bug as its failure, so that the name can be had again", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.interject("Worktrees.create", "defect")
      yield* Effect.exit(world.as(createWorkspace({ projectId: "shop", name: "Work" })))
      assert.strictEqual((yield* world.workspaces)[0]?.failure?.reason, "workspace")
      yield* world.as(deleteWorkspace("Work", false))
      yield* world.as(createWorkspace({ projectId: "shop", name: "Work" }))
    }).pipe(Effect.provide(worldLayer)))

  it.effect("pushes its branch to a remote, and says when the remote refuses", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { branch } = yield* world.as(createWorkspace({ projectId: "shop", name: "Work" }))
      assert.strictEqual(yield* tag(world.as(pushWorkspace("Work", undefined))), "Conflict")
      world.fake.addRemote(repositoryPath, "origin")
      const pushed = yield* world.as(pushWorkspace("Work", undefined))
      assert.strictEqual(world.fake.repository(repositoryPath).remotes.get("origin")?.branches.get(branch), pushed.commit)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is not undone by a deletion that is refused or fails: the workspace is as it was", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* world.as(createWorkspace({ projectId: "shop", name: "Work" }))
      world.fake.interject("Worktrees.remove", "offline")
      assert.strictEqual(yield* tag(world.as(deleteWorkspace("Work", false))), "HostOffline")
      assert.strictEqual((yield* world.workspaces)[0]?.status, "ready")
      world.fake.interject("Worktrees.remove", "link_lost_after")
      assert.strictEqual(yield* tag(world.as(deleteWorkspace("Work", false))), "LinkLost")
      yield* world.as(deleteWorkspace("Work", false))
      assert.lengthOf(yield* world.workspaces, 0)
    }).pipe(Effect.provide(worldLayer)))
})

describe("starting a run by hand", () => {
  it.effect("is refused while the automation is paused, as is a retry", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id)
      assert.strictEqual(yield* tag(world.as(retryRun(id))), "Conflict")
      yield* startWorker()
      yield* world.reaches(id, "succeeded")
      yield* world.pause(automation.id)
      assert.strictEqual(yield* tag(world.as(startRun(automation.id, {}))), "AutomationPaused")
      assert.strictEqual(yield* tag(world.as(retryRun(id))), "AutomationPaused")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("keeps the payload byte for byte for a retry, until it is forgotten", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id, { text: "ä\u2028" })
      yield* startWorker()
      yield* world.reaches(id, "succeeded")
      const again = yield* world.as(retryRun(id))
      const store = yield* RunStore
      assert.deepStrictEqual(yield* store.payload(world.organizationId, again.id), yield* store.payload(world.organizationId, id))
      yield* world.reaches(again.id, "succeeded")
      yield* store.forget(DateTime.add(yield* DateTime.now, { days: 1 }))
      assert.strictEqual(yield* tag(world.as(retryRun(id))), "Conflict")
      assert.strictEqual(yield* tag(world.cancel(id)), "Conflict")
    }).pipe(Effect.provide(worldLayer)))
})

describe("an organization", () => {
  it.effect("has its founder and those who are added, each e-mail once, whatever its case", () =>
    Effect.gen(function*() {
      const tenant = yield* makeTenant("acme")
      const { member } = yield* tenant.as(addMember({ email: "Ann@Example.com", name: "Ann", role: "member" }))
      assert.strictEqual(member.email, "ann@example.com")
      assert.strictEqual((yield* tenant.as(getMember("ANN@example.com"))).id, member.id)
      const twice = addMember({ email: "ann@example.COM", name: "Ann", role: "admin" })
      assert.strictEqual(yield* tag(tenant.as(twice)), "Conflict")
      const same = foundOrganization({ organizationName: "Other", email: "ANN@example.com", name: "Ann" })
      assert.strictEqual(yield* tag(same), "Conflict")
      assert.deepStrictEqual((yield* tenant.as(listMembers({}))).items.map(({ role }) => role), ["member", "owner"])
      const other = yield* makeTenant("other")
      assert.strictEqual(yield* tag(other.as(getMember("ann@example.com"))), "NotFound")
    }).pipe(Effect.provide(worldLayer)))
})

describe("an API key", () => {
  const limit = { max: 5, windowSeconds: 60 }

  it.effect("lets in whom it was issued for, until it is revoked", () =>
    Effect.gen(function*() {
      const tenant = yield* makeTenant("acme")
      const store = yield* ApiKeyStore
      const { key, secret } = yield* tenant.as(createApiKey({ name: "laptop" }))
      const present = store.authenticate(hashSecret("apiKey", secret)!, limit)
      assert.deepStrictEqual((yield* present)?.principal, { ...tenant.principal, access: "full", apiKeyId: key.id })
      assert.notInclude(JSON.stringify(yield* tenant.as(listApiKeys({}))), secret)
      const other = yield* makeTenant("other")
      assert.strictEqual(yield* tag(other.as(revokeApiKey(key.id))), "NotFound")
      assert.isDefined(yield* present)
      yield* tenant.as(revokeApiKey("laptop"))
      assert.isUndefined(yield* present)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("expires, and cannot be made to have expired already", () =>
    Effect.gen(function*() {
      const tenant = yield* makeTenant("acme")
      const at = yield* DateTime.now
      assert.strictEqual(yield* tag(tenant.as(createApiKey({ name: "late", expiresAt: at }))), "InvalidRequest")
      const expiresAt = DateTime.add(at, { seconds: 10 })
      const { secret } = yield* tenant.as(createApiKey({ name: "short", expiresAt }))
      const present = Effect.flatMap(ApiKeyStore, (store) => store.authenticate(hashSecret("apiKey", secret)!, limit))
      assert.isDefined(yield* present)
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(yield* present)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("is issued for somebody else by an admin only, and never for somebody of another organization", () =>
    Effect.gen(function*() {
      const tenant = yield* makeTenant("acme")
      const { user } = yield* tenant.as(addMember({ email: "ann@example.com", name: "Ann", role: "member" }))
      const asAnn = Effect.provideService(CurrentPrincipal, { ...tenant.principal, userId: user.id, role: "member" as const })
      assert.strictEqual(
        yield* tag(asAnn(createApiKey({ name: "owner's", userId: tenant.user.id }))),
        "Forbidden"
      )
      const { secret } = yield* tenant.as(createApiKey({ name: "ann's", userId: user.id }))
      const store = yield* ApiKeyStore
      assert.strictEqual((yield* store.authenticate(hashSecret("apiKey", secret)!, limit))?.principal.userId, user.id)
      const other = yield* makeTenant("other")
      assert.strictEqual(yield* tag(tenant.as(createApiKey({ name: "foreign", userId: other.user.id }))), "NotFound")
    }).pipe(Effect.provide(worldLayer)))
})
