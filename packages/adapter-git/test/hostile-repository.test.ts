import { Effect, Stream } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { poison } from "./hostile-repository.ts"
import { failureOf, fixture, sandbox, soon, write } from "./sandbox.ts"

const diffs = { patch: true, maxPatchBytes: 1_000_000 }

describe("a repository whose own configuration names programs", () => {
  it("runs none of them, in any call", async () => {
    const world = await sandbox()
    const { host, git, repository, request, create } = world
    const path = repository("evil", { ".gitattributes": "*.md diff=evil merge=evil\n", "README.md": "one\n", "a.md": "a\n" })
    const poisoned = poison(world, path)
    expect(await Effect.runPromise(host.repositories.inspect(path))).toMatchObject({ path })
    const worktree = await create(request(path))
    expect(readFileSync(join(worktree.path, "README.md"), "utf8")).toBe("one\n")
    // From here on an agent is at work: it edits, commits, and turns the repository against the service further.
    write(worktree.path, { "README.md": "two\n", "new.md": "new\n", "sub/x.bin": "x", ".gitattributes": "* filter=evil diff=evil\n" })
    poisoned.attribute("* filter=evil-included diff=evil-included merge=evil-included\n*.bin filter=process\n")
    poisoned.remote("https://127.0.0.1:1/repository.git")
    expect(await Effect.runPromise(host.worktrees.list(path))).toHaveLength(1)
    expect(await Effect.runPromise(host.worktrees.status(worktree))).toMatchObject({ dirty: true, unmergedCommits: 0 })
    const diff = await Effect.runPromise(host.worktrees.diff(worktree, diffs))
    expect(diff.files.map(({ path }) => path)).toEqual([".gitattributes", "README.md", "new.md", "sub/x.bin"])
    expect(diff.patch).toContain("+two")
    const push = { repositoryPath: path, trusted: false, branch: worktree.branch, deadline: soon() }
    expect(await failureOf(host.repositories.push(push))).toMatchObject({ _tag: "Conflict" })
    expect(await failureOf(host.worktrees.remove(worktree, { force: false }))).toMatchObject({ _tag: "Conflict" })
    const { rescueRef } = await Effect.runPromise(host.worktrees.remove(worktree, { force: true }))
    expect(rescueRef).toBe(`refs/coppice/rescue/${worktree.workspaceId}`)
    expect(existsSync(worktree.path)).toBe(false)
    expect(poisoned.ran()).toEqual([])
    // Only now it may be looked at by Git as it is.
    expect(git(path, "-c", "core.fsmonitor=false", "show", "--no-show-signature", `${rescueRef}:new.md`)).toBe("new")
  })

  for (const url of ["ssh://127.0.0.1:1/repository.git", "ext::sh -c false", "git://127.0.0.1:1/x", "file:///", "/", "evil::x"]) {
    it(`runs none of them when it pushes to ${url}`, async () => {
      const world = await sandbox()
      const path = world.repository()
      const poisoned = poison(world, path)
      poisoned.remote(url)
      const push = { repositoryPath: path, trusted: false, branch: "main", deadline: soon() }
      expect(await failureOf(world.host.repositories.push(push))).toMatchObject({ _tag: "Conflict" })
      expect(poisoned.ran()).toEqual([])
    })
  }

  for (const where of [".gitattributes", ".git/info/attributes"]) {
    it(`is refused when its files need a filter of its own, named in ${where}`, async () => {
      const world = await sandbox()
      const { host, repository, request, git } = world
      const path = repository("evil", where === ".gitattributes" ? { ".gitattributes": "*.md filter=evil\n", "README.md": "one\n" } : { "README.md": "one\n" })
      const poisoned = poison(world, path)
      if (where !== ".gitattributes") poisoned.attribute("*.md filter=evil\n")
      const failure = await failureOf(Stream.runCollect(host.worktrees.create(request(path))))
      expect(failure).toMatchObject({ _tag: "WorktreeFailed", failure: { reason: "workspace" } })
      expect(failure.message).toMatch(/filter "evil".*trusted/s)
      expect(poisoned.ran()).toEqual([])
      writeFileSync(join(path, ".git/config"), "[core]\n\tbare = false\n")
      expect(git(path, "-c", "core.hooksPath=/dev/null", "worktree", "list").split("\n")).toHaveLength(1)
      expect(git(path, "-c", "core.hooksPath=/dev/null", "branch", "--list", "coppice/*")).toBe("")
    })
  }

  it("runs its hooks and filters in a trusted project", async () => {
    const world = await sandbox()
    const { host, repository, request, create } = world
    const path = repository("evil", { ".gitattributes": "*.md filter=evil\n", "README.md": "one\n" })
    const poisoned = poison(world, path)
    const worktree = await create(request(path, { trusted: true }))
    expect(poisoned.ran()).toContain("hook-post-checkout")
    expect(poisoned.ran()).toContain("filter-smudge")
    write(worktree.path, { "README.md": "two\n" })
    expect((await Effect.runPromise(host.worktrees.diff(worktree, diffs))).files).toHaveLength(1)
    expect(poisoned.ran()).toContain("filter-clean")
    // What is shown is the change, never what a repository's own program makes of it.
    expect(poisoned.ran()).not.toContain("diff-external")
    expect(poisoned.ran()).not.toContain("textconv")
    await Effect.runPromise(host.worktrees.remove(worktree, { force: true }))
    expect(existsSync(worktree.path)).toBe(false)
  })
})

it("runs the filter that the operator's own configuration names, whoever else names it", async () => {
  const world = await sandbox({ globalConfig: `[filter "lfs"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n\trequired = true\n` })
  const { host, git, repository, request, create } = world
  const path = repository("large", { ".gitattributes": "*.dat filter=lfs\n", "x.dat": "content\n" })
  expect(git(path, "show", "HEAD:x.dat")).toBe("CONTENT")
  const canary = join(world.folder, "canary")
  git(path, "config", "filter.lfs.smudge", `${fixture("canary.sh")} ${canary} filter`)
  const worktree = await create(request(path))
  expect(readFileSync(join(worktree.path, "x.dat"), "utf8")).toBe("content\n")
  expect(await Effect.runPromise(host.worktrees.status(worktree))).toMatchObject({ dirty: false })
  expect(existsSync(canary)).toBe(false)
})
