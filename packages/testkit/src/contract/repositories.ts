import { newId, now, ProjectId } from "@coppice/core"
import { Repositories } from "@coppice/core/ports"
import { DateTime, Effect } from "effect"
import { assert } from "vitest"
import { failsWith, test } from "./check.ts"
import { HostFixture, hostContract } from "./host-fixture.ts"
import { seedRepository, someFiles } from "./seed-worktree.ts"

const push = Effect.fnUntraced(function*(repositoryPath: string, branch: string, remote?: string) {
  const deadline = DateTime.add(yield* now, { minutes: 5 })
  const request = { repositoryPath, trusted: true, branch, deadline, ...(remote === undefined ? {} : { remote }) }
  return yield* (yield* Repositories).push(request)
})

export const repositoriesContract = hostContract("Repositories", () => [
  test("inspects a repository: its top folder, and the branch that is checked out", Effect.gen(function*() {
    const path = yield* seedRepository()
    const repositories = yield* Repositories
    const repository = yield* repositories.inspect(path)
    assert.strictEqual(repository.defaultBranch, "main")
    assert.deepStrictEqual(yield* repositories.inspect(repository.path), repository)
    assert.deepStrictEqual(yield* repositories.inspect(`${path}/src`), repository)
  })),
  test("inspects with InvalidRequest what is not absolute, outside the roots, not there or no repository", Effect.gen(function*() {
    const { makeFolder, makeRepository } = yield* HostFixture
    const repositories = yield* Repositories
    const path = yield* seedRepository()
    const folder = yield* makeFolder()
    const outside = yield* makeRepository(someFiles, "outside")
    for (const wrong of ["", "relative/path", ".", outside, `${path}/../../..`, `${path}-not-there`, folder]) {
      yield* failsWith("InvalidRequest", repositories.inspect(wrong))
    }
  })),
  test("inspects with InvalidRequest a repository that is bare or has no commit", Effect.gen(function*() {
    const { makeRepository } = yield* HostFixture
    const repositories = yield* Repositories
    yield* failsWith("InvalidRequest", repositories.inspect(yield* makeRepository(someFiles, "bare")))
    yield* failsWith("InvalidRequest", repositories.inspect(yield* makeRepository({}, "empty")))
  })),
  test("clones with InvalidRequest any URL that is not https or ssh, or has a password in it", Effect.gen(function*() {
    const repositories = yield* Repositories
    const path = yield* seedRepository()
    const urls = [
      "",
      path,
      `file://${path}`,
      "http://example.com/a.git",
      "git://example.com/a.git",
      "ext::sh -c true",
      "--upload-pack=true",
      "https://user:secret@example.com/a.git"
    ]
    for (const url of urls) {
      const deadline = DateTime.add(yield* now, { minutes: 5 })
      yield* failsWith("InvalidRequest", repositories.clone({ projectId: yield* newId(ProjectId), url, deadline }))
    }
  })),
  test("pushes a branch to origin, or to the remote that is named, and answers the commit", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const path = yield* seedRepository()
    yield* fixture.addRemote(path, "origin")
    yield* fixture.addRemote(path, "backup")
    const first = yield* fixture.commit(path, "feature", { "a.txt": "a\n" })
    assert.deepStrictEqual(yield* push(path, "feature"), { remote: "origin", commit: first })
    assert.strictEqual(yield* fixture.remoteCommit(path, "origin", "feature"), first)
    assert.isUndefined(yield* fixture.remoteCommit(path, "backup", "feature"))
    const second = yield* fixture.commit(path, "feature", { "a.txt": "b\n" })
    assert.deepStrictEqual(yield* push(path, "feature", "backup"), { remote: "backup", commit: second })
    assert.strictEqual(yield* fixture.remoteCommit(path, "backup", "feature"), second)
    assert.strictEqual(yield* fixture.remoteCommit(path, "origin", "feature"), first)
    assert.deepStrictEqual(yield* push(path, "feature"), { remote: "origin", commit: second })
    assert.deepStrictEqual(yield* push(path, "feature"), { remote: "origin", commit: second })
  })),
  test("pushes with Conflict when there is no remote by that name", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const path = yield* seedRepository()
    yield* failsWith("Conflict", push(path, "main"))
    yield* fixture.addRemote(path, "origin")
    yield* failsWith("Conflict", push(path, "main", "upstream"))
  })),
  test("never pushes by force: what the remote refuses is a Conflict, and the remote stays as it is", Effect.gen(function*() {
    const fixture = yield* HostFixture
    const path = yield* seedRepository()
    yield* fixture.addRemote(path, "origin")
    const ahead = yield* fixture.commit(path, "feature", { "a.txt": "a\n" })
    yield* push(path, "feature")
    yield* fixture.resetBranch(path, "feature", "main")
    yield* fixture.commit(path, "feature", { "b.txt": "b\n" })
    yield* failsWith("Conflict", push(path, "feature"))
    assert.strictEqual(yield* fixture.remoteCommit(path, "origin", "feature"), ahead)
  }))
])
