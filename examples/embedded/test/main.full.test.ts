import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, expect, test } from "vitest"

// Children of the example get its TMPDIR, so that this name finds them among all processes wherever they went.
const place = mkdtempSync(join(tmpdir(), "coppice-embedded-test-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))

const start = () =>
  spawn(process.execPath, ["--conditions=development", join(import.meta.dirname, "../src/main.ts")], {
    env: { ...process.env, NODE_OPTIONS: "", TMPDIR: place },
    stdio: ["ignore", "pipe", "pipe"]
  })

const expectNothingLeft = () => {
  expect(readdirSync(place)).toEqual([])
  expect(execFileSync("ps", ["axeww", "-o", "command="], { encoding: "utf8" })).not.toContain(place)
}

test("prints what the agent changed, and leaves no file and no process", async () => {
  const child = start()
  const [[code], stdout, stderr] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(stdout).toContain("+++ b/PROMPT.md")
  expect(stdout).toContain(`\n+{"report":"The login button does nothing."}\n`)
  expectNothingLeft()
})

test("leaves nothing when it is interrupted while a run is under way", async () => {
  const child = start()
  const closed = once(child, "close")
  const isUnderWay = () => globSync("*/home/worktrees/*", { cwd: place }).length > 0
  while (child.exitCode === null && !isUnderWay()) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(child.exitCode).toBe(null)
  child.kill("SIGINT")
  await closed
  expectNothingLeft()
})
