import { readdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { sandbox, write } from "./sandbox.ts"
import { look } from "./worktree-calls.ts"

const objects = (path: string): number =>
  readdirSync(join(path, ".git/objects"), { recursive: true }).length

for (const trusted of [false, true]) {
  describe(`the changes of a worktree (${trusted ? "trusted" : "untrusted"})`, () => {
    it("are what differs from the base, committed or not, by any name", async () => {
      const world = await sandbox()
      const { git } = world
      const { diff, status } = look(world)
      const path = world.repository("app", {
        ".gitignore": "ignored\n", "kept": "same\n", "changed": "a\nb\n", "committed": "a\n", "deleted": "d\n",
        "old name": "one\ntwo\nthree\nfour\nfive\n", "binary": "\0\u0001"
      })
      const worktree = await world.create(world.request(path, { trusted }))
      expect(await status(worktree)).toEqual({ dirty: false, unmergedCommits: 0, headCommit: worktree.baseCommit })
      expect(await diff(worktree)).toEqual({ files: [], patch: "", truncated: false })
      write(worktree.path, { "committed": "b\n" })
      git(worktree.path, "commit", "--quiet", "--all", "-m", "Work")
      write(worktree.path, {
        "changed": "a\nc\nd\n", "binary": "\0\u0002", "ignored": "x", "-dash": "x\n", "new\nline": "x\n", "quo\"te\\": "x\n",
        "dir/tab\tname": "x\n", "$(touch pwned)": "x\n", ":(glob)*": "x\n", "empty": ""
      })
      rmSync(join(worktree.path, "deleted"))
      renameSync(join(worktree.path, "old name"), join(worktree.path, "new name"))
      writeFileSync(join(worktree.path, "big"), Buffer.alloc(20 * 1024 * 1024, "x\n"))
      symlinkSync("/etc/passwd", join(worktree.path, "link"))
      const before = objects(path)
      const found = await diff(worktree)
      const summary = new Map(found.files.map(({ path, change, addedLines, deletedLines }) => [path, `${change} ${addedLines} ${deletedLines}`]))
      expect(Object.fromEntries(summary)).toEqual({
        "$(touch pwned)": "added 1 0", "-dash": "added 1 0", ":(glob)*": "added 1 0", "big": "added undefined undefined",
        "binary": "modified undefined undefined", "changed": "modified 2 1", "committed": "modified 1 1", "deleted": "deleted 0 1",
        "dir/tab\tname": "added 1 0", "empty": "added 0 0", "link": "added 1 0", "new name": "renamed 0 0", "new\nline": "added 1 0", "quo\"te\\": "added 1 0"
      })
      expect(found.files.length).toBe(summary.size)
      expect(found.patch).toContain("rename to new name")
      expect(found.patch).toContain("+/etc/passwd")
      expect(found.patch).not.toContain("root:")
      expect(await status(worktree)).toMatchObject({ dirty: true, unmergedCommits: 1 })
      // Looking stores nothing and stages nothing.
      expect(objects(path)).toBe(before)
      expect(git(worktree.path, "diff", "--cached", "--name-only")).toBe("")
      const cut = await diff(worktree, 300)
      expect(cut.truncated).toBe(true)
      expect(cut.patch!.length).toBeLessThanOrEqual(300)
      expect(found.patch!.startsWith(cut.patch!)).toBe(true)
      expect(cut.patch!.endsWith("\n")).toBe(true)
    })

    it("do not hide behind index bits, equal times, a conflict or a broken index", async () => {
      const world = await sandbox()
      const { git } = world
      const { diff, status, refusal } = look(world)
      const path = world.repository("app", { "a": "a\n", "b": "b\n", "c": "c\n" })
      const worktree = await world.create(world.request(path, { trusted }))
      git(worktree.path, "update-index", "--assume-unchanged", "a")
      git(worktree.path, "update-index", "--skip-worktree", "b")
      write(worktree.path, { "a": "A\n", "b": "B\n" })
      expect(git(worktree.path, "status", "--porcelain")).toBe("")
      const times = statSync(join(worktree.path, "c"))
      write(worktree.path, { "c": "C\n" })
      utimesSync(join(worktree.path, "c"), times.atime, times.mtime)
      expect((await diff(worktree)).files.map(({ path }) => path)).toEqual(["a", "b", "c"])
      expect(await status(worktree)).toMatchObject({ dirty: true })
      expect(await refusal(worktree)).toMatchObject({ _tag: "Conflict" })
      const index = join(path, ".git/worktrees", worktree.workspaceId, "index")
      rmSync(index)
      expect((await diff(worktree)).files.map(({ path }) => path)).toEqual(["a", "b", "c"])
      symlinkSync("/etc/passwd", index)
      expect((await diff(worktree)).files.map(({ path }) => path)).toEqual(["a", "b", "c"])
    })

    it("include those of a merge that is not resolved", async () => {
      const world = await sandbox()
      const { git } = world
      const path = world.repository("app", { "a": "a\n" })
      const worktree = await world.create(world.request(path, { trusted }))
      write(worktree.path, { "a": "ours\n" })
      git(worktree.path, "commit", "--quiet", "--all", "-m", "Ours")
      write(path, { "a": "theirs\n" })
      git(path, "commit", "--quiet", "--all", "-m", "Theirs")
      expect(() => git(worktree.path, "merge", "main")).toThrow()
      const { diff, status, remove } = look(world)
      expect((await diff(worktree)).files).toMatchObject([{ path: "a", change: "modified" }])
      expect(await status(worktree)).toMatchObject({ dirty: true, unmergedCommits: 1 })
      const { rescueRef } = await remove(worktree, true)
      expect(git(path, "show", `${rescueRef}:a`)).toContain("<<<<<<<")
    })
  })
}
