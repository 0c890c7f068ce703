import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { failureOf, fixture, sandbox, write } from "./sandbox.ts"
import { look } from "./worktree-calls.ts"

/** A world in which submodules come over a stand-in for ssh. */
const withSubmodule = async () => {
  const world = await sandbox({ environment: { GIT_SSH_COMMAND: fixture("fake-ssh.sh") } })
  const library = world.repository("library", { "lib.txt": "lib\n" })
  const path = world.repository("app")
  world.git(path, "submodule", "--quiet", "add", `ssh://git@here${library}`, "lib")
  world.git(path, "commit", "--quiet", "--all", "-m", "Add a submodule")
  return { ...world, library, path }
}

for (const trusted of [false, true]) {
  describe(`a repository inside a worktree (${trusted ? "trusted" : "untrusted"})`, () => {
    it("comes with its submodules, whose work is not lost either", async () => {
      const world = await withSubmodule()
      const { git, path } = world
      const { remove, refusal, status } = look(world)
      const worktree = await world.create(world.request(path, { trusted }))
      expect(readFileSync(join(worktree.path, "lib/lib.txt"), "utf8")).toBe("lib\n")
      expect(await status(worktree)).toMatchObject({ dirty: false })
      expect(await remove(worktree)).toEqual({})
      const dirty = await world.create(world.request(path, { trusted }))
      write(join(dirty.path, "lib"), { "lib.txt": "changed\n", "new.txt": "new\n" })
      expect(await status(dirty)).toMatchObject({ dirty: true })
      expect((await refusal(dirty)).message).toMatch(/repository at "lib"/)
      const { rescueRef } = await remove(dirty, true)
      expect(git(path, "show", `${rescueRef}:lib/lib.txt`)).toBe("changed")
      expect(git(path, "show", `${rescueRef}:lib/new.txt`)).toBe("new")
      const unpushed = await world.create(world.request(path, { trusted }))
      git(join(unpushed.path, "lib"), "commit", "--quiet", "--allow-empty", "-m", "Only here")
      expect((await refusal(unpushed, true)).message).toMatch(/no remote has/)
      expect(existsSync(unpushed.path)).toBe(true)
    })

    it("keeps the files of a repository that an agent cloned into it", async () => {
      const world = await sandbox()
      const { git } = world
      const { remove, refusal, diff } = look(world)
      const path = world.repository()
      const worktree = await world.create(world.request(path, { trusted }))
      const inner = join(worktree.path, "inner")
      mkdirSync(inner)
      git(inner, "init", "--quiet")
      write(inner, { "work.txt": "work\n", "deep/er.txt": "deeper\n" })
      git(inner, "add", "--all")
      git(inner, "commit", "--quiet", "-m", "Inside")
      write(inner, { "work.txt": "more\n" })
      expect((await diff(worktree)).files.map(({ path }) => path)).toEqual(["inner"])
      expect((await refusal(worktree)).message).toMatch(/would be lost/)
      const { rescueRef } = await remove(worktree, true)
      expect(git(path, "show", `${rescueRef}:inner/work.txt`)).toBe("more")
      expect(git(path, "show", `${rescueRef}:inner/deep/er.txt`)).toBe("deeper")
      git(path, "fsck", "--strict")
    })
  })
}

it("refuses submodules that come by other ways, and runs nothing of a submodule's configuration", async () => {
  const world = await withSubmodule()
  const { git, path } = world
  for (const url of ["file:///tmp/x", "ext::sh -c 'touch /tmp/pwned'", "/tmp/x", "http://x/y", "-u./payload", "git://x/y"]) {
    git(path, "config", "--file", ".gitmodules", "submodule.lib.url", url)
    git(path, "commit", "--quiet", "--all", "-m", "Another URL")
    const failure = await failureOf(Effect.promise(() => world.create(world.request(path))).pipe(Effect.catchDefect((error) => Effect.fail(error))))
    expect(String(failure), url).toMatch(/https or ssh/)
  }
  git(path, "config", "--file", ".gitmodules", "submodule.lib.url", "../library")
  git(path, "commit", "--quiet", "--all", "-m", "A relative one")
  const local = await failureOf(Effect.promise(() => world.create(world.request(path))).pipe(Effect.catchDefect((error) => Effect.fail(error))))
  expect(String(local)).toMatch(/https or ssh/)
  git(path, "remote", "add", "origin", `ssh://git@here${path}`)
  await world.create(world.request(path))
  git(path, "config", "--unset", "submodule.lib.url")
  git(path, "config", "--unset", "submodule.lib.active")
  const shared = readFileSync(join(path, ".git/config"), "utf8")
  await world.create(world.request(path))
  expect(readFileSync(join(path, ".git/config"), "utf8")).toBe(shared)
  const canary = join(world.folder, "canary")
  git(path, "config", "submodule.lib.update", `!${fixture("canary.sh")} ${canary} update`)
  const worktree = await world.create(world.request(path))
  const config = join(path, ".git/worktrees", worktree.workspaceId, "modules/lib/config")
  writeFileSync(config, `${readFileSync(config, "utf8")}
[core]
	fsmonitor = ${fixture("canary.sh")} ${canary} fsmonitor
[filter "evil"]
	clean = ${fixture("canary.sh")} ${canary} filter
[diff "evil"]
	command = ${fixture("canary.sh")} ${canary} diff
`)
  write(worktree.path, { "lib/.gitattributes": "* filter=evil diff=evil\n", "lib/lib.txt": "more\n" })
  const { status, diff, remove } = look(world)
  expect(await status(worktree)).toMatchObject({ dirty: true })
  await diff(worktree)
  await remove(worktree, true)
  expect(existsSync(canary)).toBe(false)
})
