import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"

// What the README promises an operator: nothing but Node, npm and git, one command, and the service answers.
const root = resolve(import.meta.dirname, "../..")
const place = mkdtempSync(join(tmpdir(), "coppice fresh "))
const clone = join(place, "clone")

const outer = (command: string, ...args: ReadonlyArray<string>) => execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim()

// No node_modules/.bin of this checkout on PATH, and nothing of the npm or the vitest around.
const path = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules")).join(":")

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const answers = (url: string) => fetch(url).then(({ ok }) => ok, () => false)

/** Starts the service, waits until it answers, and ends it. How soon it answers is the benchmark's business. */
const serve = async (env: Record<string, string>) => {
  const port = await freePort()
  const home = join(place, "home")
  const child = spawn("npm", ["start"], { cwd: clone, env: { PATH: path, HOME: home, PORT: String(port), ...env }, stdio: "inherit" })
  const ended = once(child, "exit")
  while (!(await answers(`http://127.0.0.1:${port}/healthz`))) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`)
    await sleep(20)
  }
  child.kill("SIGTERM")
  const [code] = await ended
  expect(await answers(`http://127.0.0.1:${port}/healthz`)).toBe(false)
  return { code }
}

beforeAll(() => {
  mkdirSync(join(place, "home"))
  for (const file of outer("git", "ls-files", "-co", "--exclude-standard").split("\n").filter((file) => existsSync(join(root, file)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(root, file), join(clone, file))
  }
})

afterAll(() => rmSync(place, { recursive: true, force: true }))

test("npm start serves a fresh clone, and the second time without a network", async () => {
  const registry = outer("npm", "config", "get", "registry")
  expect(await serve({ npm_config_registry: registry })).toMatchObject({ code: 0 })
  expect(await serve({ npm_config_registry: "http://127.0.0.1:9/" })).toMatchObject({ code: 0 })
})
