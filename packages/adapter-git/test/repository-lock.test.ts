import { Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { withRepositoryLock } from "../src/git/repository-lock.ts"
import { failureOf, fixture, temporaryFolder, until } from "./sandbox.ts"

/** Another process that holds the lock until it is killed. */
const holder = async (folder: string) => {
  const child = spawn(process.execPath, ["--conditions=development", fixture("hold-lock.ts"), folder], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  child.stdout.on("data", (bytes) => output += bytes)
  await until(() => output.includes("held"))
  return child
}

it("is held by one at a time", async () => {
  const folder = temporaryFolder()
  let inside = 0
  let most = 0
  const work = Effect.gen(function*() {
    most = Math.max(most, ++inside)
    yield* Effect.sleep(5)
    inside -= 1
  }).pipe(withRepositoryLock(folder, 5000))
  await Effect.runPromise(Effect.all(Array.from({ length: 20 }, () => work), { concurrency: "unbounded" }))
  expect(most).toBe(1)
  expect(statSync(join(folder, "coppice.lock")).size).toBe(0)
})

it("of another process is waited for, for so long, and ends with it, however that ends", async () => {
  const folder = temporaryFolder()
  const child = await holder(folder)
  const failure = await failureOf(Effect.void.pipe(withRepositoryLock(folder, 200)))
  expect(failure).toMatchObject({ _tag: "RepositoryBusy" })
  const waiting = Effect.runFork(Effect.succeed("mine").pipe(withRepositoryLock(folder, 10_000)))
  child.kill("SIGKILL")
  expect(await Effect.runPromise(Fiber.join(waiting))).toBe("mine")
  expect(existsSync(join(folder, "coppice.lock"))).toBe(true)
})

it("is given back by who is interrupted while it waits or works", async () => {
  const folder = temporaryFolder()
  const working = Effect.runFork(Effect.never.pipe(withRepositoryLock(folder, 10_000)))
  const waiting = Effect.runFork(Effect.void.pipe(withRepositoryLock(folder, 10_000)))
  await Effect.runPromise(Effect.sleep(50))
  await Effect.runPromise(Fiber.interrupt(waiting))
  await Effect.runPromise(Fiber.interrupt(working))
  await Effect.runPromise(Effect.void.pipe(withRepositoryLock(folder, 100)))
  const child = await holder(folder)
  const outside = Effect.runFork(Effect.void.pipe(withRepositoryLock(folder, 60_000)))
  await Effect.runPromise(Effect.sleep(50))
  await Effect.runPromise(Fiber.interrupt(outside))
  child.kill("SIGKILL")
})
