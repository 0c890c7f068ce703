import { Stream } from "effect"
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { expectNothingLeft, refused, setup } from "./nothing-left.ts"
import { failureOf, fixture, isAlive, sandbox, soon, write } from "./sandbox.ts"

describe("set-up", () => {
  it("runs the commands in order without a shell, in the worktree, with the closed environment, and tells their output", async () => {
    const world = await sandbox({ environment: { SECRET: "secret" } })
    const path = world.repository("app", { "setup.sh": "#!/bin/sh\necho from script $0\n" })
    const events = await world.events(world.request(path, {
      setup: setup(["echo", "$(touch pwned)", "`x`", "a\nb", ";"], ["sh", "./setup.sh"], ["sh", "-c", "pwd; env | grep -c SECRET; echo made > made"])
    }))
    const output = events.map((event) => event._tag === "SetupOutput" ? event.text : "").join("")
    const ready = events.at(-1)!
    const at = ready._tag === "Ready" ? ready.path : ""
    expect(output).toBe(`$(touch pwned) \`x\` a\nb ;\nfrom script ./setup.sh\n${at}\n0\n`)
    expect(readFileSync(join(at, "made"), "utf8")).toBe("made\n")
    expect(existsSync(join(at, "pwned"))).toBe(false)
  })

  it("that fails says with what code and its last lines, and leaves nothing", async () => {
    const world = await sandbox()
    const path = world.repository()
    const failure = await refused(world, { setup: setup(["true"], ["sh", "-c", "seq 1000; echo broken >&2; exit 3"], ["touch", "/never"]) }, path)
    expect(failure).toMatchObject({ _tag: "WorktreeFailed", failure: { reason: "setup" } })
    expect(failure.message).toMatch(/exit code 3.*\n1000\nbroken$/s)
    expect(failure.message).not.toMatch(/\n9\n/)
    expectNothingLeft(world, path)
    expect(await refused(world, { setup: setup(["no-such-program"]) }, path)).toMatchObject({ failure: { reason: "setup" } })
    expectNothingLeft(world, path)
  })

  it("that takes too long is ended with all that it started", async () => {
    const world = await sandbox()
    const path = world.repository()
    const pids = join(world.folder, "pids")
    const failure = await refused(world, { setup: { commands: [[process.execPath, fixture("tree.mjs"), pids, "ignore"]], timeoutSeconds: 1 } }, path)
    expect(failure).toMatchObject({ failure: { reason: "setup", message: "The set-up commands took longer than 1 s." } })
    for (const row of readFileSync(pids, "utf8").trim().split("\n")) expect(isAlive(Number(row.split(" ")[1])), row).toBe(false)
    expectNothingLeft(world, path)
  })

  it("is over at the deadline", async () => {
    const world = await sandbox()
    const path = world.repository()
    expect(await refused(world, { setup: setup(["sleep", "1000"]), deadline: soon(1500) }, path)).toMatchObject({ failure: { reason: "timeout" } })
    expectNothingLeft(world, path)
    expect(await refused(world, { deadline: soon(-1) }, path)).toMatchObject({ failure: { reason: "timeout" } })
    expectNothingLeft(world, path)
  })

  it("may commit; a later failure keeps that under a rescue ref", async () => {
    const world = await sandbox()
    const path = world.repository()
    const given = world.request(path, { setup: setup(["git", "commit", "--allow-empty", "-m", "By set-up"], ["false"]) })
    await failureOf(Stream.runCollect(world.host.worktrees.create(given)))
    expectNothingLeft(world, path)
    expect(world.git(path, "log", "-1", "--format=%s", `refs/coppice/rescue/${given.workspaceId}`)).toBe("By set-up")
  })
})

describe(".worktreeinclude", () => {
  it("copies ignored files alone, over nothing, and out of nowhere but the repository", async () => {
    const world = await sandbox()
    const path = world.repository("app", {
      ".gitignore": "*.env\n/cache/\nlinks/\n",
      ".worktreeinclude": "*.env\n*.txt\n/cache/keep/\nlinks/\n",
      "tracked.txt": "committed\n"
    })
    write(path, {
      ".env": "SECRET=1\n", "deep/er/x.env": "x\n", "untracked.txt": "not ignored\n", "tracked.txt": "changed\n",
      "cache/keep/a": "a\n", "cache/drop": "b\n", "-rf.env": "dash\n", "new\nline.env": "newline\n"
    })
    write(world.folder, { "outside/secret.env": "outside\n" })
    mkdirSync(join(path, "links"))
    symlinkSync(join(world.folder, "outside/secret.env"), join(path, "links/absolute.env"))
    symlinkSync("../../../outside/secret.env", join(path, "links/relative.env"))
    symlinkSync("../.env", join(path, "links/inside.env"))
    symlinkSync(join(world.folder, "outside"), join(path, "linked.env"))
    const worktree = await world.create(world.request(path))
    const read = (name: string) => readFileSync(join(worktree.path, name), "utf8")
    expect(read(".env")).toBe("SECRET=1\n")
    expect(read("deep/er/x.env")).toBe("x\n")
    expect(read("cache/keep/a")).toBe("a\n")
    expect(read("-rf.env")).toBe("dash\n")
    expect(read("new\nline.env")).toBe("newline\n")
    expect(read("tracked.txt")).toBe("committed\n")
    expect(read("links/inside.env")).toBe("SECRET=1\n")
    for (const absent of ["untracked.txt", "cache/drop", "links/absolute.env", "links/relative.env", "linked.env"]) {
      expect(existsSync(join(worktree.path, absent)) || lstatSync(join(worktree.path, absent), { throwIfNoEntry: false }) !== undefined, absent).toBe(false)
    }
    const told = (await world.events(world.request(path))).map((event) => event._tag === "Progress" ? event.message : "").join("\n")
    expect(told).toMatch(/Copied 6 ignored files/)
    expect(told).toMatch(/Not copied: .*leads out/)
  })

  it("writes through no link that a branch holds", async () => {
    const world = await sandbox()
    const path = world.repository("app", { ".gitignore": "*.env\n", ".worktreeinclude": "*.env\n" })
    mkdirSync(join(world.folder, "outside"))
    symlinkSync(join(world.folder, "outside"), join(path, "dir"))
    world.git(path, "add", "dir")
    world.git(path, "commit", "--quiet", "-m", "A link")
    rmSync(join(path, "dir"))
    write(path, { "dir/x.env": "x\n" })
    const told = (await world.events(world.request(path))).map((event) => event._tag === "Progress" ? event.message : "").join("\n")
    expect(told).toMatch(/in its way/)
    expect(readdirSync(join(world.folder, "outside"))).toEqual([])
  })
})
