import { chmodSync, existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { failureOf, sandbox, workspaceId, write } from "./sandbox.ts"
import { look } from "./worktree-calls.ts"

for (const trusted of [false, true]) {
  describe(`removing a worktree (${trusted ? "trusted" : "untrusted"})`, () => {
    it("takes it and its merged branch away, and only those; again is fine", async () => {
      const world = await sandbox()
      const { git } = world
      const { remove } = look(world)
      const path = world.repository()
      const worktree = await world.create(world.request(path, { trusted }))
      const other = await world.create(world.request(path, { trusted }))
      write(worktree.path, { "a": "a\n" })
      git(worktree.path, "add", "a")
      git(worktree.path, "commit", "--quiet", "-m", "Work")
      git(path, "merge", "--quiet", worktree.branch)
      expect(await remove(worktree)).toEqual({})
      expect(existsSync(worktree.path)).toBe(false)
      expect(git(path, "branch", "--list", "coppice/*", "--format=%(refname:short)")).toBe(other.branch)
      expect(await remove(worktree)).toEqual({})
      expect(await remove({ ...other, workspaceId: workspaceId() })).toEqual({})
      expect(existsSync(other.path)).toBe(true)
    })

    it("refuses what would be lost, telling what, and with force keeps all of it", async () => {
      const world = await sandbox()
      const { git } = world
      const { remove, refusal } = look(world)
      const path = world.repository("app", { ".gitignore": "ignored\n", "a": "a\n", "b": "b\n" })
      const worktree = await world.create(world.request(path, { trusted }))
      write(worktree.path, { "a": "committed\n" })
      git(worktree.path, "commit", "--quiet", "--all", "-m", "Work")
      write(worktree.path, { "b": "staged\n" })
      git(worktree.path, "add", "b")
      write(worktree.path, { "b": "changed\n", "new dir/-new\nfile": "new\n", "ignored": "x" })
      chmodSync(join(worktree.path, "new dir"), 0o555)
      const failure = await refusal(worktree)
      expect(failure).toMatchObject({ _tag: "Conflict" })
      expect(failure.message).toMatch(/2 files .*not committed; 1 commit /)
      expect(existsSync(worktree.path)).toBe(true)
      const { rescueRef } = await remove(worktree, true)
      expect(rescueRef).toBe(`refs/coppice/rescue/${worktree.workspaceId}`)
      expect(existsSync(worktree.path)).toBe(false)
      expect(git(path, "branch", "--list", "coppice/*")).toBe("")
      expect(git(path, "show", `${rescueRef}:a`)).toBe("committed")
      expect(git(path, "show", `${rescueRef}:b`)).toBe("changed")
      expect(git(path, "show", `${rescueRef}:new dir/-new\nfile`)).toBe("new")
      expect(git(path, "show", `${rescueRef}^2:b`)).toBe("staged")
      expect(git(path, "log", "-1", "--format=%s", `${rescueRef}^1`)).toBe("Work")
      expect(git(path, "ls-tree", "-r", "--name-only", rescueRef!)).not.toContain("ignored")
      git(path, "fsck", "--strict")
    })

    it("keeps a branch that is not the service's, and commits made beside any branch", async () => {
      const world = await sandbox()
      const { git } = world
      const { remove, refusal } = look(world)
      const path = world.repository()
      const worktree = await world.create(world.request(path, { trusted, branch: "feature" }))
      git(worktree.path, "commit", "--quiet", "--allow-empty", "-m", "On feature")
      const tip = git(worktree.path, "rev-parse", "HEAD")
      git(worktree.path, "switch", "--quiet", "--detach")
      git(worktree.path, "commit", "--quiet", "--allow-empty", "-m", "Beside")
      const beside = git(worktree.path, "rev-parse", "HEAD")
      expect((await refusal(worktree)).message).toMatch(/commits? that no other branch holds/)
      const { rescueRef } = await remove(worktree, true)
      expect(git(path, "rev-parse", "feature")).toBe(tip)
      expect(git(path, "merge-base", "--is-ancestor", beside, rescueRef!)).toBe("")
      const clean = await world.create(world.request(path, { trusted, branch: "feature", existingBranch: true }))
      expect(await remove(clean)).toEqual({})
      expect(git(path, "rev-parse", "feature")).toBe(tip)
    })

    it("follows nothing that an agent put in its way", async () => {
      const world = await sandbox()
      const { remove, status } = look(world)
      const path = world.repository()
      const victim = await world.create(world.request(path, { trusted }))
      write(victim.path, { "precious": "x" })
      const outside = join(world.folder, "outside")
      write(outside, { "precious": "x" })
      // Its .git file says that it is another worktree, its own records that it lies elsewhere, links lead out.
      const worktree = await world.create(world.request(path, { trusted }))
      writeFileSync(join(worktree.path, ".git"), `gitdir: ${join(path, ".git/worktrees", victim.workspaceId)}\n`)
      writeFileSync(join(path, ".git/worktrees", worktree.workspaceId, "gitdir"), `${victim.path}/.git\n`)
      writeFileSync(join(path, ".git/worktrees", worktree.workspaceId, "commondir"), `${outside}\n`)
      symlinkSync(outside, join(worktree.path, "out"))
      expect(await status(worktree)).toMatchObject({ dirty: true })
      await remove(worktree, true)
      expect(existsSync(worktree.path)).toBe(false)
      expect(readFileSync(join(victim.path, "precious"), "utf8")).toBe("x")
      expect(readFileSync(join(outside, "precious"), "utf8")).toBe("x")
      // The folder itself is a link by now.
      const swapped = await world.create(world.request(path, { trusted }))
      rmSync(swapped.path, { recursive: true })
      symlinkSync(outside, swapped.path)
      expect(await failureOf(world.host.worktrees.status(swapped))).toMatchObject({ _tag: "Conflict" })
      await remove(swapped, true)
      expect(readFileSync(join(outside, "precious"), "utf8")).toBe("x")
      // A path that a caller made up.
      for (const made of [outside, `${victim.path}/..`, path, "/", join(world.home, "worktrees")]) {
        await remove({ ...victim, workspaceId: workspaceId(), path: made }, true)
      }
      await remove({ ...victim, path: outside }, true).catch(() => {})
      expect(readFileSync(join(outside, "precious"), "utf8")).toBe("x")
      expect(lstatSync(path).isDirectory()).toBe(true)
    })
  })
}
