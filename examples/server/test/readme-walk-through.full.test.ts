import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"

// A stranger pastes the README's walk-through, word for word, into two terminals in a fresh clone. Nothing is replaced in
// it: not the port, and not the folder, which is why the home folder is one that was made for it.
const root = resolve(import.meta.dirname, "../../..")
const place = mkdtempSync(join(tmpdir(), "coppice walk "))
const clone = join(place, "clone")
const home = join(place, "home")
const port = 4280

const outer = (command: string, ...args: ReadonlyArray<string>) => execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim()

/** The code blocks of a section of the README. */
const blocksOf = (heading: string): ReadonlyArray<string> => {
  const section = readFileSync(join(root, "README.md"), "utf8").split(/^## /m).find((section) => section.startsWith(`${heading}\n`))
  return [...section!.matchAll(/^```(?:sh)?\n([^]*?)^```$/gm)].map(([, code = ""]) => code)
}

const blocks = blocksOf("Walk through it")
const start = blocks.indexOf("npm start\n")

const taken = (): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => answer(true)).once("error", () => answer(false))
    socket.once("connect", () => socket.destroy())
  })

/** A terminal of its own: what is pasted into it ends at the first command that fails. Ctrl-C ends all that runs in it. */
const terminal = (pasted: string) =>
  spawn("bash", ["-eu", "-c", pasted], {
    cwd: clone,
    detached: true,
    env: {
      // No node_modules/.bin of this checkout, and nothing of the npm or the vitest around.
      PATH: (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules")).join(":"),
      HOME: home,
      npm_config_registry: outer("npm", "config", "get", "registry")
    },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** What a terminal has shown once it has ended, with its exit code. */
const ended = async (child: ReturnType<typeof terminal>) => {
  const [[code], stdout, stderr] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)])
  return { code, stdout, stderr }
}

beforeAll(async () => {
  if (await taken()) throw new Error(`Port ${port}, which the README names, is in use: stop what listens on it, then run this again.`)
  mkdirSync(home)
  const files = outer("git", "ls-files", "-co", "--exclude-standard").split("\n")
  for (const file of files.filter((file) => existsSync(join(root, file)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(root, file), join(clone, file))
  }
})

afterAll(() => rmSync(place, { recursive: true, force: true }))

test("the walk-through of the README does what it says", async () => {
  expect(start).toBeGreaterThan(0)
  expect(await ended(terminal(blocks.slice(0, start).join("")))).toMatchObject({ code: 0 })

  const service = terminal(blocks[start]!)
  const served = ended(service)
  try {
    while (!(await taken())) {
      if (service.exitCode !== null) throw new Error(`npm start ended:\n${(await served).stderr}`)
      await sleep(100)
    }
    const seen = await ended(terminal(blocks.slice(start + 1).join(`echo "=== the next block"\n`)))
    expect(seen, seen.stderr).toMatchObject({ code: 0 })
    const [, fired = "", called = ""] = seen.stdout.split("=== the next block\n")
    expect(fired).toContain("+++ b/PROMPT.md")
    expect(fired).toContain(`\n+Look into this report.\n`)
    expect(fired).toContain(`\n+{"report": "The login button does nothing."}\n`)
    const { result } = JSON.parse(called)
    expect(result.isError).not.toBe(true)
    expect(result.structuredContent.run).toMatchObject({ status: "succeeded", trigger: "webhook", exitCode: 0 })
  } finally {
    if (service.exitCode === null) process.kill(-service.pid!, "SIGINT")
  }
  const { code, stderr, stdout } = await served
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toContain(`Coppice is ready at http://127.0.0.1:${port}\n`)
  expect(await taken()).toBe(false)
})
