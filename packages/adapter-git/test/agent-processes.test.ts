import { Effect } from "effect"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { node, pidsIn, treeSize, withAgents } from "./agents.ts"
import { fixture, isAlive, sessionId, until } from "./sandbox.ts"

describe("the processes of a session", () => {
  for (const what of ["stay", "ignore"]) {
    it(`are all gone once it is stopped, whatever they do to stay (${what})`, async () => {
      const world = await withAgents([{ id: "tree", command: [node, fixture("tree.mjs"), "pids", what], prompt: "stdin" }])
      const pids = join(world.directory, "pids")
      const request = world.launch("tree")
      await world.start(request)
      await until(() => pidsIn(pids).size === treeSize)
      const all = [...pidsIn(pids)].filter(([name]) => name !== "double-fork")
      expect(all.filter(([, pid]) => !isAlive(pid))).toEqual([])
      await Promise.all([world.stop(request.sessionId), world.stop(request.sessionId), world.stop(request.sessionId)])
      expect(all.filter(([, pid]) => isAlive(pid))).toEqual([])
      expect((await world.watch(request.sessionId)).at(-1)).toMatchObject({ _tag: "Exited" })
      expect(readdirSync(join(world.home, "processes"))).toEqual([])
    })
  }

  it("are ended when its main process has ended, before that is told, even those that hold its output open", async () => {
    const world = await withAgents([{ id: "tree", command: [node, fixture("tree.mjs"), "pids", "exit"], prompt: "stdin" }])
    const pids = join(world.directory, "pids")
    const events = await world.run("tree")
    expect(events.at(-1)).toMatchObject({ _tag: "Exited", exitCode: 7 })
    expect(pidsIn(pids).size).toBe(treeSize)
    expect([...pidsIn(pids)].filter(([, pid]) => isAlive(pid))).toEqual([])
  })

  it("are settled by the next life of the host, after a kill -9 of the one that started them", async () => {
    const world = await withAgents([])
    const pids = join(world.directory, "pids")
    const id = sessionId()
    const config = { options: { ...world.hostOptions, agents: [{ id: "tree", name: "Tree", command: [node, fixture("tree.mjs"), pids, "ignore"], prompt: "file" }] }, directory: world.directory, sessionId: id }
    config.options.agents[0]!.command.push("{promptFile}")
    const parent = spawn(node, ["--conditions=development", fixture("launch.ts"), JSON.stringify(config)], { stdio: "ignore" })
    onTestFinished(() => void parent.kill("SIGKILL"))
    await until(() => pidsIn(pids).size === treeSize, 20_000)
    parent.kill("SIGKILL")
    const all = [...pidsIn(pids)].filter(([name]) => name !== "double-fork")
    expect(all.filter(([, pid]) => !isAlive(pid))).toEqual([])
    expect(readdirSync(join(world.home, "prompts"))).toHaveLength(1)
    const settled = await Effect.runPromise(world.agentLauncher.settle())
    expect(settled).toEqual([id])
    expect(all.filter(([, pid]) => isAlive(pid))).toEqual([])
    expect(readdirSync(join(world.home, "processes"))).toEqual([])
    expect(readdirSync(join(world.home, "prompts"))).toEqual([])
    expect(await Effect.runPromise(world.agentLauncher.settle())).toEqual([])
  })

  it("do not include a stranger that was given a recorded pid", async () => {
    const world = await withAgents([])
    const stranger = spawn("sleep", ["1000"], { detached: true })
    onTestFinished(() => void stranger.kill("SIGKILL"))
    const id = sessionId()
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    writeFileSync(join(world.home, "processes", `${id}.json`), JSON.stringify({ kind: "agent", job: id, boot, pid: stranger.pid, startTime: "1" }))
    writeFileSync(join(world.home, "processes", "1.json"), JSON.stringify({ kind: "agent", job: "1", boot, pid: 1, startTime: "1" }))
    writeFileSync(join(world.home, "processes", "broken.json"), "{")
    expect(await Effect.runPromise(world.agentLauncher.settle())).toContain(id)
    expect(isAlive(stranger.pid!)).toBe(true)
  })

  it("is one, however often it is started", async () => {
    const world = await withAgents([{ id: "sleep", command: ["sleep", "1000"], prompt: "stdin" }])
    const request = world.launch("sleep")
    const started = await Promise.all([world.start(request), world.start(request), world.start(request)])
    expect(new Set(started.map(({ pid }) => pid)).size).toBe(1)
    await world.stop(request.sessionId)
    expect((await world.start(request)).pid).toBe(started[0]!.pid)
  })

  it("tells by which signal it ended", async () => {
    const world = await withAgents([{ id: "killed", command: ["sh", "-c", "kill -9 $$"], prompt: "stdin" }])
    expect((await world.run("killed")).at(-1)).toEqual({ _tag: "Exited", sequence: 1, signal: "SIGKILL" })
  })
})
