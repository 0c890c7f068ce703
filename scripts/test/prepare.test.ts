import { spawn } from "node:child_process"
import { appendFileSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, expect, test } from "vitest"

// A checkout of its own, with an npx and a compiler that only write down how they were called: what is tried here is what
// prepare decides, not what pnpm does.
const root = resolve(import.meta.dirname, "../..")
const node = join(root, "node_modules/.bin/node")

let checkout: string
let bin: string

const program = (path: string, body: string) => writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 })

const calls = () => {
  const log = join(checkout, "log")
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
}

const prepare = async (args: ReadonlyArray<string> = [], env: Record<string, string> = {}) => {
  const program = [join(checkout, "scripts/prepare.mjs"), ...args]
  const child = spawn(node, program, { cwd: tmpdir(), env: { PATH: bin, ...env } })
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((done) => child.once("exit", done))
  ])
  expect(stdout).toBe("")
  return { stderr, code }
}

const installs = `echo "npx $*" >>"$LOG"; echo noise; mkdir -p "$ROOT/node_modules/.bin"; ln -sf ${node} "$ROOT/node_modules/.bin/node"`

const npx = (body: string) => program(join(bin, "npx"), `ROOT="${checkout}"; LOG="$ROOT/log"; ${body}`)

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "coppice prepare "))
  bin = join(checkout, "bin")
  for (const folder of ["bin", "scripts", "packages/core", "node_modules/typescript/bin"]) mkdirSync(join(checkout, folder), { recursive: true })
  for (const file of ["prepare.mjs", "child.mjs", "lock.mjs", "pnpm.mjs"]) copyFileSync(join(root, "scripts", file), join(checkout, "scripts", file))
  writeFileSync(join(checkout, "package.json"), `{ "packageManager": "pnpm@1.2.3+sha512.abc" }`)
  writeFileSync(join(checkout, "packages/core/package.json"), "{}")
  writeFileSync(join(checkout, "pnpm-lock.yaml"), "")
  writeFileSync(
    join(checkout, "node_modules/typescript/bin/tsc"),
    `require("node:fs").appendFileSync(${JSON.stringify(join(checkout, "log"))}, "tsc " + process.argv.slice(2).join(" ") + "\\n"); console.log("noise")`
  )
  for (const name of ["sh", "mkdir", "ln", "sleep"]) symlinkSync(`/bin/${name}`, join(bin, name))
  program(join(bin, "git"), "echo git version 2.39.5")
  npx(installs)
})

afterEach(() => rmSync(checkout, { recursive: true }))

const install = "npx -y pnpm@1.2.3 install --frozen-lockfile --config.confirmModulesPurge=false"
const build = "tsc -b examples/server"

test("installs once, compiles each time, and prints to standard error only", async () => {
  expect(await prepare()).toMatchObject({ code: 0, stderr: expect.stringContaining("installing") })
  expect(await prepare()).toMatchObject({ code: 0, stderr: "noise\n" })
  expect(calls()).toEqual([install, build, build])
})

test("compiles the projects that it is given", async () => {
  await prepare(["examples/embedded"])
  expect(calls()).toEqual([install, "tsc -b examples/embedded"])
})

test.for(["pnpm-lock.yaml", "package.json", "packages/core/package.json"])("installs again when %s changed", async (file) => {
  await prepare()
  appendFileSync(join(checkout, file), "\n")
  await prepare()
  expect(calls().filter((call) => call === install)).toHaveLength(2)
})

test("installs again when the installed Node is gone, or an install was cut short", async () => {
  await prepare()
  rmSync(join(checkout, "node_modules/.bin/node"))
  npx("exit 1")
  expect(await prepare()).toMatchObject({ code: 1 })
  symlinkSync(node, join(checkout, "node_modules/.bin/node"))
  npx(installs)
  await prepare()
  expect(calls()).toEqual([install, build, install, build])
})

test("two at once install once", async () => {
  npx(`${installs}; sleep 0.3`)
  const both = await Promise.all([prepare(), prepare()])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(calls()).toEqual([install, build, build])
})

test("takes over from one that died, and leaves no lock", async () => {
  const dead = spawn(node, ["-e", ""])
  await new Promise((done) => dead.once("exit", done))
  const lock = join(checkout, ".prepare.lock")
  symlinkSync(String(dead.pid), lock)
  expect(await Promise.all([prepare(), prepare()])).toMatchObject([{ code: 0 }, { code: 0 }])
  expect(calls()).toEqual([install, build, build])
  expect(() => readFileSync(lock)).toThrow("ENOENT")
})

test("says what to do about a git that is missing or too old", async () => {
  program(join(bin, "git"), "echo git version 2.17.1")
  expect(await prepare()).toMatchObject({ code: 1, stderr: expect.stringMatching(/2\.17\.1 is too old\.\n {2}Install git 2/) })
  rmSync(join(bin, "git"))
  expect(await prepare()).toMatchObject({ code: 1, stderr: expect.stringMatching(/git was not found\.\n {2}Install git 2/) })
  expect(calls()).toEqual([])
})

test("says what to do without npx, and without a network", async () => {
  npx("exit 1")
  const offline = await prepare([], { npm_config_registry: "http://127.0.0.1:9/" })
  expect(offline).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be reached from here.\n  Check the network") })
  rmSync(join(bin, "npx"))
  expect(await prepare()).toMatchObject({ code: 1, stderr: expect.stringContaining("npx was not found.\n  It comes with npm") })
})

test("says so when the compiler refuses", async () => {
  writeFileSync(join(checkout, "node_modules/typescript/bin/tsc"), "process.exit(2)")
  expect(await prepare()).toMatchObject({ code: 1, stderr: expect.stringContaining("Compiling failed") })
})
