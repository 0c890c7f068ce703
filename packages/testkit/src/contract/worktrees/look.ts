import { newId, WorkspaceId } from "@coppice/core"
import { Worktrees } from "@coppice/core/ports"
import { Effect } from "effect"
import { assert } from "vitest"
import { failsWith, test } from "../check.ts"
import { HostFixture, type HostTest } from "../host-fixture.ts"
import { seedRepository, seedWorktree, someFiles } from "../seed-worktree.ts"

const options = { patch: false, maxPatchBytes: 1_000_000 }

export const lookTests: ReadonlyArray<HostTest> = [
  test("lists the worktrees of a repository that it made, with branch and head", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const worktrees = yield* Worktrees
    const repositoryPath = yield* seedRepository()
    yield* seedWorktree(yield* seedRepository())
    assert.deepStrictEqual(yield* worktrees.list(repositoryPath), [])
    const { branch, path, workspaceId } = yield* seedWorktree(repositoryPath)
    yield* fixture.change(path, { "new.txt": "new\n" })
    const headCommit = yield* fixture.commitAll(path)
    assert.deepStrictEqual(yield* worktrees.list(repositoryPath), [{ workspaceId, path, branch, headCommit }])
  })),
  test("lists with InvalidRequest where there is no repository", Effect.gen(function*() {
    yield* failsWith("InvalidRequest", (yield* Worktrees).list(yield* (yield* HostFixture).makeFolder()))
  })),
  test("is dirty when something is changed, deleted or untracked, ignored files aside", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const worktrees = yield* Worktrees
    const repositoryPath = yield* seedRepository()
    const isDirty = (changes: Parameters<typeof fixture.change>[1]) =>
      Effect.gen(function*() {
        const worktree = yield* seedWorktree(repositoryPath)
        yield* fixture.change(worktree.path, changes)
        return (yield* worktrees.status(worktree)).dirty
      })
    assert.isTrue(yield* isDirty({ "README.md": "Changed\n" }))
    assert.isTrue(yield* isDirty({ "README.md": null }))
    assert.isTrue(yield* isDirty({ "new.txt": "new\n" }))
    assert.isFalse(yield* isDirty({ ".env": "SECRET=1\n", "build/out.txt": "built\n" }))
    assert.isFalse(yield* isDirty({}))
  })),
  test("counts the commits that neither the base nor any other branch holds", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const worktrees = yield* Worktrees
    const repositoryPath = yield* seedRepository()
    const worktree = yield* seedWorktree(repositoryPath)
    const count = Effect.map(worktrees.status(worktree), ({ unmergedCommits }) => unmergedCommits)
    for (const text of ["one\n", "two\n"]) {
      yield* fixture.change(worktree.path, { "new.txt": text })
      yield* fixture.commitAll(worktree.path)
    }
    assert.strictEqual(yield* count, 2)
    yield* fixture.commit(repositoryPath, "kept", {})
    yield* fixture.resetBranch(repositoryPath, "kept", worktree.branch)
    assert.strictEqual(yield* count, 0)
  })),
  test("tells what differs from the base commit: committed, changed, deleted and untracked files, ignored ones not", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const worktree = yield* seedWorktree(yield* seedRepository({ ...someFiles, "gone.txt": "gone for good\n" }))
    yield* fixture.change(worktree.path, { "committed.txt": "c\n" })
    yield* fixture.commitAll(worktree.path)
    yield* fixture.change(worktree.path, {
      "src/index.txt": "one\n2\nthree\nfour\n",
      "gone.txt": null,
      "untracked.txt": "first\nsecond\n",
      ".env": "SECRET=1\n"
    })
    const { files, patch, truncated } = yield* (yield* Worktrees).diff(worktree, options)
    assert.deepStrictEqual(files.toSorted((left, right) => left.path < right.path ? -1 : 1), [
      { path: "committed.txt", change: "added", addedLines: 1, deletedLines: 0 },
      { path: "gone.txt", change: "deleted", addedLines: 0, deletedLines: 1 },
      { path: "src/index.txt", change: "modified", addedLines: 2, deletedLines: 1 },
      { path: "untracked.txt", change: "added", addedLines: 2, deletedLines: 0 }
    ])
    assert.isUndefined(patch)
    assert.isFalse(truncated)
  })),
  test("tells of nothing where nothing differs", Effect.gen(function*() {
    const worktree = yield* seedWorktree(yield* seedRepository())
    const diff = yield* (yield* Worktrees).diff(worktree, { ...options, patch: true })
    assert.deepStrictEqual([diff.files, diff.patch ?? "", diff.truncated], [[], "", false])
  })),
  test("tells what was renamed", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const worktree = yield* seedWorktree(yield* seedRepository())
    yield* fixture.change(worktree.path, { "src/index.txt": null, "src/renamed.txt": someFiles["src/index.txt"]! })
    yield* fixture.commitAll(worktree.path)
    const { files } = yield* (yield* Worktrees).diff(worktree, options)
    assert.deepStrictEqual(files.map(({ change, path }) => [path, change]), [["src/renamed.txt", "renamed"]])
  })),
  test("cuts a patch on a line's end, and says so", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const worktrees = yield* Worktrees
    const worktree = yield* seedWorktree(yield* seedRepository())
    yield* fixture.change(worktree.path, { "new.txt": "äöü and so on\n".repeat(100) })
    const whole = yield* worktrees.diff(worktree, { patch: true, maxPatchBytes: 100_000 })
    assert.isFalse(whole.truncated)
    assert.include(whole.patch, "+äöü and so on\n")
    for (const maxPatchBytes of [0, 200, 1_001]) {
      const cut = yield* worktrees.diff(worktree, { patch: true, maxPatchBytes })
      assert.isTrue(cut.truncated)
      assert.isAtMost(new TextEncoder().encode(cut.patch ?? "").length, maxPatchBytes)
      assert.isTrue(cut.patch === "" || cut.patch?.endsWith("\n"))
      assert.isTrue(whole.patch?.startsWith(cut.patch ?? ""))
    }
  })),
  test("looks with Conflict at a worktree that is not there any more", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const worktrees = yield* Worktrees
    const lost = yield* seedWorktree(yield* seedRepository())
    const other = { ...lost, workspaceId: yield* newId(WorkspaceId), path: `${lost.path}-not-there` }
    yield* fixture.lose(lost.path)
    for (const worktree of [lost, other]) {
      yield* failsWith("Conflict", worktrees.status(worktree))
      yield* failsWith("Conflict", worktrees.diff(worktree, options))
    }
  })),
  test("tells how much is free", Effect.gen(function*() {
    assert.isAbove(yield* (yield* Worktrees).freeBytes(), 0)
  }))
]
