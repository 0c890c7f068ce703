import { spawn } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { json } from "node:stream/consumers"
import { afterAll, beforeAll, expect, test } from "vitest"

// The scripts of package.json, through the real npm, around a server and a command line that only tell what reached them.
const root = resolve(import.meta.dirname, "../..")

const checkout = realpathSync(mkdtempSync(join(tmpdir(), "coppice npm ")))

// What an outer npm leaves in the environment would make the inner one quiet, and prove nothing.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")))

const npm = (...args: ReadonlyArray<string>) =>
  spawn("npm", args, { cwd: checkout, env, stdio: ["ignore", "pipe", "inherit"] })

beforeAll(() => {
  mkdirSync(join(checkout, "scripts"))
  mkdirSync(join(checkout, "examples/server/dist"), { recursive: true })
  mkdirSync(join(checkout, "node_modules/.bin"), { recursive: true })
  writeFileSync(join(checkout, "scripts/prepare.mjs"), "")
  symlinkSync(join(root, "node_modules/.bin/node"), join(checkout, "node_modules/.bin/node"))
  copyFileSync(join(root, ".npmrc"), join(checkout, ".npmrc"))
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  writeFileSync(join(checkout, "package.json"), JSON.stringify({ type: "module", scripts }))
  writeFileSync(
    join(checkout, "examples/server/dist/main.js"),
    `for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => { console.log(signal); process.exit(0) })
     setInterval(() => {}, 1000)
     console.log("up")`
  )
  writeFileSync(
    join(checkout, "examples/server/dist/cli.js"),
    `console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd() }))`
  )
})

afterAll(() => rmSync(checkout, { recursive: true }))

test.for(["SIGTERM", "SIGINT"] as const)("%s to npm start reaches the server, whose end is npm's", async (signal) => {
  const child = npm("start")
  const heard: Array<string> = []
  child.stdout.on("data", (data) => {
    heard.push(String(data).trim())
    if (heard.length === 1) child.kill(signal)
  })
  const [code] = await once(child, "close")
  expect({ code, heard }).toEqual({ code: 0, heard: ["up", signal] })
})

test("arguments of npm run coppice arrive as they were typed, and standard output is the command's alone", async () => {
  const args = ["keys", "create", "--name", `a "quoted" $HOME 'name'`, "", "--json"]
  expect(await json(npm("run", "coppice", "--", ...args).stdout)).toEqual({ args, cwd: checkout })
})
