import { Effect } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { adminSocketPath } from "../src/home/admin-socket-path.ts"
import { lockHome } from "../src/home/home-lock.ts"
import { machineOf, makeHome } from "../src/home/machine.ts"
import { npmPathEntries } from "../src/npm-path.ts"

const folderForTest = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "coppice-home-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const machine = (home: string) => Effect.runPromise(Effect.provide(machineOf(home), layerWebCrypto))

test("is made for its owner alone", async () => {
  const home = join(folderForTest(), "a", "b")
  await Effect.runPromise(makeHome(home))
  expect(statSync(home).mode & 0o777).toBe(0o700)
})

test("says who the machine is, always the same, also to two who ask first", async () => {
  const home = folderForTest()
  const answers = await Promise.all([machine(home), machine(home), machine(home)])
  expect(new Set(answers.map(({ machineId }) => machineId)).size).toBe(1)
  expect(await machine(home)).toEqual(answers[0])
  expect(JSON.parse(readFileSync(join(home, "host.json"), "utf8"))).toEqual({ machineId: answers[0]!.machineId })
})

test("does not make a new machine of one whose id is lost", async () => {
  const home = folderForTest()
  writeFileSync(join(home, "host.json"), "")
  await expect(machine(home)).rejects.toThrow("host.json holds no machine id")
})

test("is for one process at a time, and free after it", async () => {
  const home = folderForTest()
  const taken = Effect.scoped(lockHome(home))
  await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    yield* lockHome(home)
    const refused = yield* Effect.flip(taken)
    expect(refused).toMatchObject({ reason: "home-taken", message: expect.stringContaining(`process ${process.pid}, since `) })
  })))
  await Effect.runPromise(taken)
})

test("has its socket inside, or where its path is too long for one, in a private folder", () => {
  expect(adminSocketPath("/srv/coppice")).toBe("/srv/coppice/admin.sock")
  const deep = join(folderForTest(), "x".repeat(100))
  mkdirSync(deep)
  const path = adminSocketPath(deep)
  expect(Buffer.byteLength(path)).toBeLessThan(100)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  expect(adminSocketPath(deep)).toBe(path)
  expect(adminSocketPath(`${deep}y`)).not.toBe(path)
})

test("knows what npm put on the PATH", () => {
  const PATH = "/srv/clone/node_modules/.bin:/srv/node_modules/.bin:/node_modules/.bin:/npm/node-gyp-bin:/usr/bin:/home/ann/node_modules/.bin"
  expect(npmPathEntries({ PATH, npm_lifecycle_event: "start" }, "/srv/clone")).toEqual([
    "/srv/clone/node_modules/.bin",
    "/srv/node_modules/.bin",
    "/node_modules/.bin",
    "/npm/node-gyp-bin"
  ])
  expect(npmPathEntries({ PATH }, "/srv/clone")).toEqual([])
})
