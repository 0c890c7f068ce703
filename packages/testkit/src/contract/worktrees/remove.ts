import { newId, WorkspaceId, type WorktreeRef } from "@coppice/core"
import { Worktrees } from "@coppice/core/ports"
import { Effect } from "effect"
import { assert } from "vitest"
import { failsWith, test } from "../check.ts"
import { HostFixture, type HostTest } from "../host-fixture.ts"
import { seedRepository, seedWorktree, someFiles } from "../seed-worktree.ts"

const remove = Effect.fnUntraced(function*(worktree: WorktreeRef, force = false) {
  return yield* (yield* Worktrees).remove(worktree, { force })
})

const isThere = Effect.fnUntraced(function*({ path, repositoryPath, workspaceId }: WorktreeRef) {
  const files = yield* (yield* HostFixture).files(path)
  const list = yield* (yield* Worktrees).list(repositoryPath)
  const listed = list.some((worktree) => worktree.workspaceId === workspaceId)
  assert.strictEqual(listed, files !== undefined)
  return listed
})

export const removeTests: ReadonlyArray<HostTest> = [
  test("removes a clean worktree, and its branch when that is coppice/… and merged", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const worktree = yield* seedWorktree(repositoryPath)
    assert.isTrue(yield* isThere(worktree))
    assert.deepStrictEqual(yield* remove(worktree), {})
    assert.isFalse(yield* isThere(worktree))
    assert.notInclude(yield* fixture.branches(repositoryPath), worktree.branch)
  })),
  test("keeps a branch of any other name", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const worktree = yield* seedWorktree(repositoryPath, { branch: "mine/work" })
    yield* remove(worktree)
    assert.isFalse(yield* isThere(worktree))
    assert.include(yield* fixture.branches(repositoryPath), "mine/work")
  })),
  test("refuses with Conflict what would lose work, and leaves it as it is", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const changed = yield* seedWorktree(repositoryPath)
    yield* fixture.change(changed.path, { "README.md": "Changed\n" })
    const untracked = yield* seedWorktree(repositoryPath)
    yield* fixture.change(untracked.path, { "new.txt": "new\n" })
    const unmerged = yield* seedWorktree(repositoryPath)
    yield* fixture.change(unmerged.path, { "new.txt": "new\n" })
    yield* fixture.commitAll(unmerged.path)
    for (const worktree of [changed, untracked, unmerged]) {
      const files = yield* fixture.files(worktree.path)
      yield* failsWith("Conflict", remove(worktree))
      assert.isTrue(yield* isThere(worktree))
      assert.deepStrictEqual(yield* fixture.files(worktree.path), files)
      assert.include(yield* fixture.branches(repositoryPath), worktree.branch)
    }
  })),
  test("with force, first keeps what would be lost under a rescue ref, and answers it", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const worktree = yield* seedWorktree(repositoryPath)
    yield* fixture.change(worktree.path, { "committed.txt": "c\n" })
    yield* fixture.commitAll(worktree.path)
    yield* fixture.change(worktree.path, { "README.md": null, "untracked.txt": "u\n" })
    const { rescueRef } = yield* remove(worktree, true)
    assert.isFalse(yield* isThere(worktree))
    const { "README.md": _, ...rest } = someFiles
    const expected = { ...rest, "committed.txt": "c\n", "untracked.txt": "u\n" }
    assert.deepStrictEqual(yield* fixture.filesOf(repositoryPath, rescueRef!), expected)
  })),
  test("with force, keeps commits that are not merged", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const worktree = yield* seedWorktree(repositoryPath)
    yield* fixture.change(worktree.path, { "committed.txt": "c\n" })
    yield* fixture.commitAll(worktree.path)
    const { rescueRef } = yield* remove(worktree, true)
    assert.deepStrictEqual(yield* fixture.filesOf(repositoryPath, rescueRef!), { ...someFiles, "committed.txt": "c\n" })
  })),
  test("with force, makes no rescue ref where nothing would be lost", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const worktree = yield* seedWorktree(yield* seedRepository())
    yield* fixture.change(worktree.path, { ".env": "SECRET=1\n" })
    assert.deepStrictEqual(yield* remove(worktree, true), {})
  })),
  test("takes one that is not there for removed", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const repositoryPath = yield* seedRepository()
    const removed = yield* seedWorktree(repositoryPath)
    yield* remove(removed)
    const lost = yield* seedWorktree(repositoryPath)
    yield* fixture.lose(lost.path)
    for (const worktree of [removed, lost]) {
      assert.deepStrictEqual(yield* remove(worktree), {})
      assert.isFalse(yield* isThere(worktree))
    }
  })),
  test("removes without a path what was never finished, or nothing", Effect.gen(function*() {
    const repositoryPath = yield* seedRepository()
    const workspaceId = yield* newId(WorkspaceId)
    const unfinished = { workspaceId, repositoryPath, trusted: false, branch: `coppice/${workspaceId}` }
    assert.deepStrictEqual(yield* (yield* Worktrees).remove(unfinished, { force: true }), {})
  })),
  test("removes one worktree, and no other", Effect.gen(function*() {
    const repositoryPath = yield* seedRepository()
    const [first, second] = [yield* seedWorktree(repositoryPath), yield* seedWorktree(repositoryPath)]
    yield* remove(first)
    assert.isTrue(yield* isThere(second))
  }))
]
