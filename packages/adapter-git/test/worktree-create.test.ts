import { Effect, Stream } from "effect"
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { expectNothingLeft, refused } from "./nothing-left.ts"
import { failureOf, sandbox, soon, write } from "./sandbox.ts"

describe("a worktree", () => {
  for (const trusted of [false, true]) {
    it(`is checked out at the base on its new branch (${trusted ? "trusted" : "untrusted"})`, async () => {
      const { git, repository, request, events, home } = await sandbox()
      const path = repository("app", { "a.txt": "a\n", "dir/b.sh": "b\n", "-dash": "c\n", "new\nline": "d\n" })
      git(path, "tag", "v1")
      const first = git(path, "rev-parse", "HEAD")
      write(path, { "a.txt": "later\n" })
      git(path, "commit", "--all", "--quiet", "-m", "Second")
      const given = request(path, { trusted, base: "v1" })
      const all = await events(given)
      const ready = all.at(-1)!
      expect(ready).toEqual({ _tag: "Ready", baseCommit: first, path: join(home, "worktrees", given.projectId, given.workspaceId) })
      if (ready._tag !== "Ready") return
      expect(readFileSync(join(ready.path, "a.txt"), "utf8")).toBe("a\n")
      expect(readFileSync(join(ready.path, "new\nline"), "utf8")).toBe("d\n")
      expect(git(ready.path, "status", "--porcelain")).toBe("")
      expect(git(ready.path, "symbolic-ref", "--short", "HEAD")).toBe(given.branch)
      expect(readFileSync(join(path, ".git/config"), "utf8")).not.toContain("[branch")
    })
  }

  it("is the same again for the same workspace, in the next life of the host too", async () => {
    const world = await sandbox()
    const given = world.request(world.repository())
    const first = await world.events(given)
    const again = await Promise.all([world.events(given), world.events({ ...given, deadline: soon(-1) })])
    expect(again).toEqual([[first.at(-1)], [first.at(-1)]])
  })

  it("may be of a branch that is there", async () => {
    const { git, repository, request, create } = await sandbox()
    const path = repository()
    git(path, "branch", "feature")
    const worktree = await create(request(path, { branch: "feature", existingBranch: true }))
    expect(git(worktree.path, "symbolic-ref", "--short", "HEAD")).toBe("feature")
  })

  it("can be made ten times at once in one repository", async () => {
    const world = await sandbox()
    const path = world.repository()
    const made = await Promise.all(Array.from({ length: 10 }, () => world.create(world.request(path))))
    expect(new Set(made.map(({ path }) => realpathSync(path))).size).toBe(10)
    expect((await Effect.runPromise(world.host.worktrees.list(path))).map(({ workspaceId }) => workspaceId).sort())
      .toEqual(made.map(({ workspaceId }) => workspaceId).sort())
  })

  it("waits for the locks of somebody else's Git, and never deletes them", async () => {
    const world = await sandbox()
    const path = world.repository()
    const lock = join(path, ".git/refs/heads/coppice/held.lock")
    write(path, { ".git/refs/heads/coppice/held.lock": "" })
    const creating = world.create(world.request(path, { branch: "coppice/held" }))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(existsSync(lock)).toBe(true)
    rmSync(lock)
    expect(existsSync((await creating).path)).toBe(true)
  })
})

describe("a request", () => {
  const hostile = ["-b", "--force", "--upload-pack=touch pwned", "$(touch pwned)", "`touch pwned`", "a\nb", "a b", "..", "a/../b", "x.lock", "@{-1}", "HEAD", "@", "refs/heads/x", "a\0b", ".git/hooks", "", "a:b", "x/", "/x", "-"]

  it("with a branch's name that is none is refused", async () => {
    const world = await sandbox()
    const path = world.repository()
    for (const branch of hostile) {
      for (const existingBranch of [false, true]) {
        expect(await refused(world, { branch, existingBranch }, path), JSON.stringify(branch)).toMatchObject({ _tag: "InvalidRequest" })
      }
    }
    expectNothingLeft(world, path)
    expect(existsSync(join(path, "pwned"))).toBe(false)
  })

  it("with a base that is not there is refused", async () => {
    const world = await sandbox()
    const path = world.repository()
    for (const base of ["no-such-branch", "--all", "-1", "$(touch pwned)", "a\nb", "main:README.md", "0".repeat(40), "", "a\0b", "main..main", "--git-dir=/tmp"]) {
      expect(await refused(world, { base }, path), JSON.stringify(base)).toMatchObject({ _tag: "WorktreeFailed", failure: { reason: "workspace" } })
    }
    expectNothingLeft(world, path)
  })

  it("for a path that is no repository under the roots is refused", async () => {
    const world = await sandbox()
    for (const path of ["/", "relative", world.code, join(world.code, "none"), "--help", "/tmp\0x"]) {
      expect(await refused(world, {}, path), path).toMatchObject({ _tag: "InvalidRequest" })
    }
  })

  it("for a branch that is there, missing, or checked out elsewhere says which", async () => {
    const world = await sandbox()
    const path = world.repository()
    world.git(path, "branch", "coppice/taken")
    expect((await refused(world, { branch: "coppice/taken" }, path)).message).toMatch(/There is a branch "coppice\/taken" already/)
    expect((await refused(world, { branch: "none", existingBranch: true }, path)).message).toMatch(/no branch "none"/)
    expect((await refused(world, { branch: "main", existingBranch: true }, path)).message).toMatch(/checked out at/)
    expect((await refused(world, { branch: "coppice/taken/below" }, path)).message).toMatch(/could not be made/)
    expect(world.git(path, "branch", "--list", "coppice/*").trim()).toBe("coppice/taken")
    expect(readdirSync(join(world.home, "worktree-records"))).toEqual([])
  })

  it("never takes what it does not know for its own", async () => {
    const world = await sandbox()
    const given = world.request(world.repository())
    const path = join(world.home, "worktrees", given.projectId, given.workspaceId)
    write(path, { "precious": "x" })
    expect(await failureOf(Stream.runCollect(world.host.worktrees.create(given)))).toMatchObject({ _tag: "WorktreeFailed" })
    expect(existsSync(join(path, "precious"))).toBe(true)
  })
})

it("tells how much room there is", async () => {
  const { host } = await sandbox()
  expect(await Effect.runPromise(host.worktrees.freeBytes())).toBeGreaterThan(1_000_000)
})
