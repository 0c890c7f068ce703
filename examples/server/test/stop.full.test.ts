import { join } from "node:path"
import { existsSync } from "node:fs"
import { describe, expect, test } from "vitest"
import type { Answers } from "../src/cli/answers.ts"
import { agentAtWork, environmentOf, exitOf, furnish, isAlive, runOf, scratchForTest, serverForTest, typed, until } from "./service.ts"

const slow = { timeout: 120_000 }

describe("a server that is stopped", slow, () => {
  test("ends its agent, puts the run back, and does it after the next start", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const first = await serverForTest(env)
    const run = await runOf(env, await furnish(env, scratch, "retried"))
    await until("the first attempt is at work", () => existsSync(join(scratch.folder, "retried.pid")))
    const pid = await agentAtWork(scratch, "retried")
    const before = performance.now()
    expect(await first.stop("SIGTERM")).toBe(0)
    expect(performance.now() - before).toBeLessThan(10_000)
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(join(scratch.home, "presence.json"))).toBe(false)
    await expect(fetch(`${first.url}/healthz`)).rejects.toThrow()
    expect((await typed<Answers["runs_get"]>(env, "runs", "show", run.id)).run).toMatchObject({ status: "queued", attempt: 0 })

    const second = await serverForTest(env)
    await typed(env, "runs", "logs", run.id, "--follow")
    expect((await typed<Answers["runs_get"]>(env, "runs", "show", run.id)).run).toMatchObject({ status: "succeeded", attempt: 1 })
    expect(await second.stop("SIGTERM")).toBe(0)
  })

  test("takes two signals at once, as Ctrl-C under npm sends, for one", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const server = await serverForTest(env)
    await runOf(env, await furnish(env, scratch, "stubborn"))
    const pid = await agentAtWork(scratch, "stubborn")
    server.process.kill("SIGINT")
    server.process.kill("SIGINT")
    expect(await exitOf(server)).toBe(0)
    expect(isAlive(pid)).toBe(false)
  })

  test("ends at once on a later second signal, and the next start ends what was left", async () => {
    const scratch = await scratchForTest({ runs: { terminateSeconds: 5 } })
    const env = environmentOf(scratch)
    const server = await serverForTest(env)
    const automation = await furnish(env, scratch, "stubborn")
    await runOf(env, automation)
    const pid = await agentAtWork(scratch, "stubborn")
    server.process.kill("SIGINT")
    // More than the second within which a repetition is the same Ctrl-C, and less than the agent is given.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    server.process.kill("SIGINT")
    expect(await exitOf(server)).toBe(130)
    await typed(env, "automations", "pause", automation.id)
    const next = await serverForTest(env)
    await until("the agent that was left is ended", () => !isAlive(pid))
    expect(await next.stop("SIGTERM")).toBe(0)
  })
})

describe("a server that is killed", slow, () => {
  test("starts again, ends the agent that was left, and makes another attempt", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const first = await serverForTest(env)
    const run = await runOf(env, await furnish(env, scratch, "retried"))
    const pid = await agentAtWork(scratch, "retried")
    await first.stop("SIGKILL")
    const second = await serverForTest(env)
    await typed(env, "runs", "logs", run.id, "--follow")
    expect(isAlive(pid)).toBe(false)
    expect((await typed<Answers["runs_get"]>(env, "runs", "show", run.id)).run).toMatchObject({ status: "succeeded", attempt: 2 })
    const { diff } = await typed<Answers["workspaces_diff"]>(env, "runs", "diff", run.id)
    expect(diff.files.map(({ path }) => path)).toEqual(["done.txt"])
    expect(await second.stop("SIGTERM")).toBe(0)
  })
})
