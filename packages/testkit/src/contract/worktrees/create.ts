import { now, type WorktreeRequest } from "@coppice/core"
import { Worktrees } from "@coppice/core/ports"
import { DateTime, Effect, Fiber, Queue, Stream } from "effect"
import { assert } from "vitest"
import { beforeLong, failsWith, test } from "../check.ts"
import { HostFixture, type HostTest } from "../host-fixture.ts"
import { make, newRequest, seedRepository, seedWorktree, someFiles } from "../seed-worktree.ts"

/** What may not change when a creation comes to nothing. */
const traces = Effect.fnUntraced(function*(repositoryPath: string) {
  const fixture = yield* HostFixture
  return { branches: yield* fixture.branches(repositoryPath), worktrees: yield* (yield* Worktrees).list(repositoryPath) }
})

/** The failure that a creation ends with, which must leave no trace. */
const failureOf = Effect.fnUntraced(function*(request: WorktreeRequest) {
  const before = yield* traces(request.repositoryPath)
  const error = yield* Effect.flip(Stream.runDrain((yield* Worktrees).create(request)))
  assert.deepStrictEqual(yield* traces(request.repositoryPath), before)
  return error._tag === "WorktreeFailed" ? error.failure.reason : assert.fail(`It failed with ${error._tag}: ${error.message}`)
})

export const createTests: ReadonlyArray<HostTest> = [
  test("makes a worktree, checked out on a new branch at the base; the last event is Ready", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const { events, worktree } = yield* make(yield* newRequest(repositoryPath))
    assert.strictEqual(events.filter(({ _tag }) => _tag === "Ready").length, 1)
    assert.deepStrictEqual(yield* fixture.files(worktree.path), someFiles)
    assert.include(yield* fixture.branches(repositoryPath), worktree.branch)
    const status = yield* (yield* Worktrees).status(worktree)
    assert.deepStrictEqual(status, { dirty: false, unmergedCommits: 0, headCommit: worktree.baseCommit })
  })),
  test("makes it at any branch or commit that the base names", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const { baseCommit: first } = yield* seedWorktree(repositoryPath)
    const next = yield* fixture.commit(repositoryPath, "next", { "new.txt": "new\n" })
    const atBranch = yield* seedWorktree(repositoryPath, { base: "next" })
    const atCommit = yield* seedWorktree(repositoryPath, { base: first })
    assert.deepStrictEqual([atBranch.baseCommit, atCommit.baseCommit], [next, first])
    assert.deepStrictEqual(yield* fixture.files(atBranch.path), { ...someFiles, "new.txt": "new\n" })
    assert.deepStrictEqual(yield* fixture.files(atCommit.path), someFiles)
  })),
  test("checks out a branch that is there, measured against the base", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const head = yield* fixture.commit(repositoryPath, "feature", { "new.txt": "new\n" })
    const worktree = yield* seedWorktree(repositoryPath, { branch: "feature", existingBranch: true })
    assert.deepStrictEqual(yield* fixture.files(worktree.path), { ...someFiles, "new.txt": "new\n" })
    assert.notStrictEqual(worktree.baseCommit, head)
    const status = yield* (yield* Worktrees).status(worktree)
    assert.deepStrictEqual(status, { dirty: false, unmergedCommits: 1, headCommit: head })
  })),
  test("copies the ignored files that .worktreeinclude names, and no others", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const files = { ...someFiles, ".worktreeinclude": ".env\nREADME.md\n" }
    const repositoryPath = yield* seedRepository(files)
    yield* fixture.change(repositoryPath, { ".env": "SECRET=1\n", "build/out.txt": "built\n" })
    const worktree = yield* seedWorktree(repositoryPath)
    assert.deepStrictEqual(yield* fixture.files(worktree.path), { ...files, ".env": "SECRET=1\n" })
    assert.isFalse((yield* (yield* Worktrees).status(worktree)).dirty)
  })),
  test("does the set-up commands in their order, and tells what they print as it goes", Effect.gen(function*() {
    const { commands, files } = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const setup = { commands: [commands.print("first"), commands.write("made.txt", "made\n"), commands.print("second")] }
    const { events, worktree } = yield* make(yield* newRequest(repositoryPath, { setup }))
    const printed = events.map((event) => event._tag === "SetupOutput" ? event.text : "").join("")
    assert.match(printed, /first[\s\S]*second/)
    assert.strictEqual((yield* files(worktree.path))?.["made.txt"], "made\n")
  })),
  test("answers the same worktree for the same request again, also for several at once", Effect.gen(function*() {
    const repositoryPath = yield* seedRepository()
    const request = yield* newRequest(repositoryPath)
    const made = yield* Effect.forEach([1, 2, 3, 4, 5], () => make(request), { concurrency: "unbounded" })
    const again = yield* make(request)
    for (const { worktree } of made) assert.deepStrictEqual(worktree, again.worktree)
    assert.strictEqual((yield* (yield* Worktrees).list(repositoryPath)).length, 1)
  })),
  test("makes several worktrees of a repository at once", Effect.gen(function*() {
    const repositoryPath = yield* seedRepository()
    const many = Array.from({ length: 8 })
    const made = yield* Effect.forEach(many, () => seedWorktree(repositoryPath), { concurrency: "unbounded" })
    assert.strictEqual(new Set(made.map(({ path }) => path)).size, many.length)
    const list = yield* (yield* Worktrees).list(repositoryPath)
    assert.sameMembers(list.map(({ path }) => path), made.map(({ path }) => path))
  })),
  test("fails with InvalidRequest where there is no repository", Effect.gen(function*() {
    const path = yield* (yield* HostFixture).makeFolder()
    yield* failsWith("InvalidRequest", Stream.runDrain((yield* Worktrees).create(yield* newRequest(path))))
  })),
  test("fails, and leaves nothing, for a base that is not there", Effect.gen(function*() {
    const request = yield* newRequest(yield* seedRepository(), { base: "no-such-branch" })
    assert.strictEqual(yield* failureOf(request), "workspace")
  })),
  test("fails, and leaves nothing, for a new branch that is there, and for an existing one that is not", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    yield* fixture.commit(repositoryPath, "feature", { "new.txt": "new\n" })
    const taken = yield* newRequest(repositoryPath, { branch: "feature" })
    const absent = yield* newRequest(repositoryPath, { branch: "absent", existingBranch: true })
    for (const request of [taken, absent]) assert.strictEqual(yield* failureOf(request), "workspace")
  })),
  test("fails, and leaves nothing, for a branch that is checked out elsewhere", Effect.gen(function*() {
    const repositoryPath = yield* seedRepository()
    const { branch } = yield* seedWorktree(repositoryPath)
    for (const taken of ["main", branch]) {
      const request = yield* newRequest(repositoryPath, { branch: taken, existingBranch: true })
      assert.strictEqual(yield* failureOf(request), "workspace")
    }
  })),
  test("fails with the reason setup, and leaves nothing, when a set-up command fails", Effect.gen(function*() {
    const { commands } = yield* HostFixture
    const setup = { commands: [commands.write("made.txt", "made\n"), commands.exit(3)] }
    assert.strictEqual(yield* failureOf(yield* newRequest(yield* seedRepository(), { setup })), "setup")
  })),
  test("fails with the reason timeout, and leaves nothing, after the deadline", Effect.gen(function*() {
    const deadline = DateTime.subtract(yield* now, { seconds: 1 })
    assert.strictEqual(yield* failureOf(yield* newRequest(yield* seedRepository(), { deadline })), "timeout")
  })),
  test("leaves no worktree and no new branch when it is interrupted, and keeps a branch that was there", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const { commands } = fixture
    const repositoryPath = yield* seedRepository()
    yield* fixture.commit(repositoryPath, "feature", { "new.txt": "new\n" })
    const before = yield* traces(repositoryPath)
    const setup = { commands: [commands.print("going on"), commands.hang] }
    for (const fields of [{ setup }, { setup, branch: "feature", existingBranch: true }]) {
      const events = yield* Queue.unbounded<string>()
      const creation = (yield* Worktrees).create(yield* newRequest(repositoryPath, fields))
      const fiber = yield* Effect.forkScoped(Stream.runForEach(creation, ({ _tag }) => Queue.offer(events, _tag)))
      while ((yield* beforeLong(Queue.take(events), "nothing is told of a creation")) !== "SetupOutput");
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* traces(repositoryPath), before)
    }
    assert.isDefined(yield* seedWorktree(repositoryPath, { branch: "feature", existingBranch: true }))
  }))
]
