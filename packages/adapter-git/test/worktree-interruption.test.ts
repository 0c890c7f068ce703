import { Deferred, Effect, Fiber, Stream } from "effect"
import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { expectNothingLeft, setup } from "./nothing-left.ts"
import { fixture, isAlive, sandbox, until } from "./sandbox.ts"

describe("interruption", () => {
  for (const after of ["Adding the worktree.", "Running the set-up commands.", "from set-up"]) {
    it(`leaves nothing (after: ${after})`, async () => {
      const world = await sandbox()
      const path = world.repository("app", Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, "x".repeat(1000)])))
      const pids = join(world.folder, "pids")
      const given = world.request(path, {
        trusted: after === "Adding the worktree.",
        setup: setup(["echo", "from set-up"], [process.execPath, fixture("tree.mjs"), pids, "stay"])
      })
      await Effect.runPromise(Effect.gen(function*() {
        const seen = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(Stream.runForEach(world.host.worktrees.create(given), (event) =>
          (event._tag === "Progress" ? event.message : event._tag === "SetupOutput" ? event.text.trim() : "") === after
            ? Deferred.succeed(seen, undefined)
            : Effect.void))
        yield* Deferred.await(seen)
        yield* Fiber.interrupt(fiber)
      }))
      expectNothingLeft(world, path)
      if (existsSync(pids)) for (const row of readFileSync(pids, "utf8").trim().split("\n")) expect(isAlive(Number(row.split(" ")[1])), row).toBe(false)
      // And the same workspace can be made then.
      expect((await world.events({ ...given, setup: setup() })).at(-1)).toMatchObject({ _tag: "Ready" })
    })
  }

  it("at any moment leaves nothing", async () => {
    const world = await sandbox()
    const path = world.repository()
    for (let millis = 0; millis < 300; millis += 25) {
      const given = world.request(path)
      const fiber = Effect.runFork(Stream.runDrain(world.host.worktrees.create(given)))
      await new Promise((resolve) => setTimeout(resolve, millis))
      await Effect.runPromise(Fiber.interrupt(fiber))
      const made = existsSync(join(world.home, "worktree-records", `${given.workspaceId}.json`))
      // It may have come to its end before: then all of it is there.
      if (made) {
        const { workspaceId, repositoryPath, trusted, branch } = given
        await Effect.runPromise(world.host.worktrees.remove({ workspaceId, repositoryPath, trusted, branch }, { force: false }))
      }
      expectNothingLeft(world, path)
    }
  })

  it("by a kill -9 of the host leaves what the next creation, or a removal, takes down", async () => {
    for (const then of ["create", "remove"]) {
      const world = await sandbox()
      const path = world.repository()
      const given = world.request(path)
      const parent = spawn(process.execPath, ["--conditions=development", fixture("create.ts"), JSON.stringify({
        options: world.hostOptions,
        request: { ...given, setup: { commands: [["sleep", "1000"]] } }
      })], { stdio: ["ignore", "pipe", "inherit"] })
      onTestFinished(() => void parent.kill("SIGKILL"))
      let output = ""
      parent.stdout.on("data", (bytes) => output += bytes)
      await until(() => output.includes("Running the set-up commands") && readdirSync(join(world.home, "processes")).length === 1, 20_000)
      parent.kill("SIGKILL")
      expect(world.git(path, "worktree", "list").split("\n")).toHaveLength(2)
      expect(await Effect.runPromise(world.host.worktrees.list(path))).toEqual([])
      expect(await Effect.runPromise(world.host.agentLauncher.settle())).toEqual([])
      if (then === "create") expect((await world.events(given)).at(-1)).toMatchObject({ _tag: "Ready" })
      else {
        const { workspaceId, repositoryPath, trusted, branch } = given
        expect(await Effect.runPromise(world.host.worktrees.remove({ workspaceId, repositoryPath, trusted, branch }, { force: false }))).toEqual({})
        expectNothingLeft(world, path)
      }
    }
  })
})
