import type { AgentEvent } from "@coppice/core"
import { Effect, Fiber, Stream } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { AgentConfig } from "../src/index.ts"
import { failureOf, fixture, isAlive, sandbox, sessionId, soon, until, workspaceId } from "./sandbox.ts"

const node = process.execPath

/** A host with agents, and a folder that stands for a worktree. */
const withAgents = async (agents: ReadonlyArray<Omit<AgentConfig, "name">>, more: Parameters<typeof sandbox>[0] = {}) => {
  const world = await sandbox({ ...more, agents: agents.map((agent) => ({ name: agent.id, ...agent })) })
  const directory = join(world.home, "worktrees/project/workspace")
  mkdirSync(directory, { recursive: true })
  const launch = (agent: string, prompt: string | Uint8Array = "", id = sessionId()) => ({
    sessionId: id,
    workspaceId: workspaceId(),
    agent,
    directory,
    prompt: typeof prompt === "string" ? new TextEncoder().encode(prompt) : prompt,
    environment: {},
    deadline: soon()
  })
  const { agentLauncher } = world.host
  const start = (request: ReturnType<typeof launch>) => Effect.runPromise(agentLauncher.start(request))
  const watch = (id: ReturnType<typeof sessionId>, after = 0): Promise<ReadonlyArray<AgentEvent>> =>
    Effect.runPromise(Stream.runCollect(agentLauncher.watch(id, after)))
  const stop = (id: ReturnType<typeof sessionId>) => Effect.runPromise(agentLauncher.stop(id))
  const run = async (agent: string, prompt: string | Uint8Array = "") => {
    const request = launch(agent, prompt)
    await start(request)
    return watch(request.sessionId)
  }
  return { ...world, directory, launch, start, watch, stop, run, agentLauncher }
}

const text = (events: ReadonlyArray<AgentEvent>, stream = "stdout"): string =>
  events.map((event) => event._tag === "Output" && event.stream === stream ? event.text : "").join("")

const pidsIn = (file: string): ReadonlyMap<string, number> =>
  new Map(existsSync(file)
    ? readFileSync(file, "utf8").trim().split("\n").map((row) => [row.split(" ")[0]!, Number(row.split(" ")[1])] as const)
    : [])

const treeSize = 8

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

describe("a prompt", () => {
  const big = new Uint8Array(1024 * 1024).map((_, index) => (index * 7 + (index >> 8)) % 256)

  it("arrives byte for byte on standard input", async () => {
    const world = await withAgents([{ id: "writer", command: [node, fixture("write-prompt.mjs")], prompt: "stdin" }])
    await world.run("writer", big)
    expect(Buffer.compare(readFileSync(join(world.directory, "prompt.txt")), big)).toBe(0)
  })

  it("arrives byte for byte as a file that only its owner reads, gone afterwards", async () => {
    const script = `const fs = require("fs"); fs.copyFileSync(process.argv[1], "prompt.txt"); console.log((fs.statSync(process.argv[1]).mode & 0o777).toString(8))`
    const world = await withAgents([{ id: "file", command: [node, "-e", script, "{promptFile}"], prompt: "file" }])
    expect(text(await world.run("file", big))).toBe("600\n")
    expect(Buffer.compare(readFileSync(join(world.directory, "prompt.txt")), big)).toBe(0)
    await until(() => readdirSync(join(world.home, "prompts")).length === 0)
  })

  it("arrives as an argument with nothing in it expanded, and by file when it does not fit", async () => {
    const script = "process.stdout.write(process.argv[1])"
    const world = await withAgents([{ id: "argument", command: [node, "-e", script, "--", "{prompt}"], prompt: "argument" }])
    const hostile = "$(touch pwned) `touch pwned` ; {prompt} {promptFile} $& \\ \"'\n--eval=1\r\n☃"
    expect(text(await world.run("argument", hostile))).toBe(hostile)
    expect(existsSync(join(world.directory, "pwned"))).toBe(false)
    for (const unfit of ["x".repeat(100 * 1024 + 1), "a\0b", new Uint8Array([0xff, 0xfe])]) {
      expect(text(await world.run("argument", unfit))).toMatch(/^\/.*\/prompts\/[\w-]+\.txt$/)
    }
  })

  it("is no error when nobody reads it", async () => {
    const world = await withAgents([{ id: "true", command: ["true"], prompt: "stdin" }])
    expect((await world.run("true", big)).at(-1)).toMatchObject({ _tag: "Exited", exitCode: 0 })
  })
})

describe("the environment of an agent", () => {
  it("is the closed list and what is named", async () => {
    const world = await withAgents(
      [{ id: "env", command: ["env", "-0"], prompt: "stdin", env: { pass: ["NAMED", "MISSING"], set: { GIVEN: "by config" } } }],
      {
        environment: {
          PATH: `/clone/node_modules/.bin:relative:${process.env["PATH"]}:.:`,
          HOME: "/home/operator", DATABASE_URL: "secret", NODE_OPTIONS: "--inspect", LD_PRELOAD: "x", GIT_DIR: "/x", BASH_ENV: "x",
          NAMED: "named", LC_CTYPE: "C", COPPICE_ADMIN_PASSWORD: "secret"
        },
        excludedPathEntries: ["/clone/node_modules/.bin"]
      }
    )
    const request = { ...world.launch("env"), environment: { COPPICE_RUN_ID: "run-1" } }
    await world.start(request)
    const variables = new Map(text(await world.watch(request.sessionId)).split("\0").filter(Boolean).map((row) => [row.slice(0, row.indexOf("=")), row.slice(row.indexOf("=") + 1)] as const))
    expect([...variables.keys()].filter((name) => !["LANG", "TERM", "TMPDIR", "SHELL", "USER"].includes(name)).sort()).toEqual([
      "COPPICE_PROCESS", "COPPICE_RUN_ID", "GIVEN", "HOME", "LC_CTYPE", "NAMED", "PATH"
    ])
    expect(variables.get("PATH")).toBe(process.env["PATH"]!.split(":").filter((entry) => entry.startsWith("/")).join(":"))
    expect(variables.get("HOME")).toBe("/home/operator")
  })

  it("has no descriptor beside the standard streams", async () => {
    const world = await withAgents([{ id: "fds", command: ["sh", "-c", "ls /proc/self/fd | wc -l"], prompt: "stdin" }])
    // `ls` itself has the folder open.
    expect(text(await world.run("fds")).trim()).toBe("4")
  })
})

describe("output", () => {
  it("comes to several readers, each from where it asks, across the borders of characters", async () => {
    const script = `const bytes = Buffer.from("é☃😀".repeat(50)); let i = 0; const step = () => { if (i < bytes.length) { process.stdout.write(bytes.subarray(i, ++i), () => setImmediate(step)) } }; step()`
    const world = await withAgents([{ id: "bytes", command: [node, "-e", script], prompt: "stdin" }])
    const request = world.launch("bytes")
    await world.start(request)
    const readers = await Promise.all([0, 0, 1].map((after) => world.watch(request.sessionId, after)))
    expect(text(readers[0]!)).toBe("é☃😀".repeat(50))
    expect(readers[1]).toEqual(readers[0])
    expect(readers[2]).toEqual(readers[0]!.slice(1))
    expect(readers[0]!.map(({ sequence }) => sequence)).toEqual(readers[0]!.map((_, index) => index + 1))
    expect(await world.watch(request.sessionId, readers[0]!.length)).toEqual([])
    expect(await world.watch(sessionId())).toEqual([])
  })

  it("beyond the ring is dropped with a note, and is in the transcript up to its bound", async () => {
    const world = await withAgents(
      [{ id: "much", command: [node, "-e", "for (let i = 0; i < 3000; i++) process.stdout.write(String(i).padEnd(999, '.') + '\\n')"], prompt: "stdin" }],
      { outputRingBytes: 512 * 1024, transcriptBytes: 2_000_000 }
    )
    const request = world.launch("much")
    await world.start(request)
    await until(async () => readdirSync(join(world.home, "processes")).length === 0)
    const events = await world.watch(request.sessionId)
    expect(events[0]).toMatchObject({ _tag: "Dropped" })
    const dropped = events[0]!._tag === "Dropped" ? events[0]!.bytes : 0
    expect(dropped + text(events).length).toBe(3_000_000)
    expect(text(events).length).toBeLessThanOrEqual(512 * 1024)
    expect(text(events)).toMatch(/2999\.+\n$/)
    expect(events[1]!.sequence).toBe(events[0]!.sequence + 1)
    const transcript = readFileSync(join(world.home, "transcripts", `${request.sessionId}.log`), "utf8")
    expect(transcript.length).toBeLessThan(2_000_200)
    expect(transcript).toMatch(/the transcript ends here/)
  })

  it("is not held up by a reader that does not read, nor kept for one that went away", async () => {
    const world = await withAgents([{ id: "much", command: ["sh", "-c", "head -c 30000000 /dev/zero | tr '\\0' x; echo end"], prompt: "stdin" }])
    const request = world.launch("much")
    await world.start(request)
    const slow = Effect.runFork(Stream.runForEach(world.agentLauncher.watch(request.sessionId, 0), () => Effect.never))
    await until(() => readdirSync(join(world.home, "processes")).length === 0)
    expect(text(await world.watch(request.sessionId))).toMatch(/xend\n$/)
    await Effect.runPromise(Fiber.interrupt(slow))
  })

  it("of old sessions is let go", async () => {
    const world = await withAgents([{ id: "echo", command: ["echo", "hello"], prompt: "stdin" }], { endedSessions: 1 })
    const first = world.launch("echo")
    await world.start(first)
    expect(text(await world.watch(first.sessionId))).toBe("hello\n")
    const second = await world.run("echo")
    expect(text(second)).toBe("hello\n")
    expect(await world.watch(first.sessionId)).toEqual([])
  })
})

describe("an agent that cannot be started", () => {
  const agents: ReadonlyArray<Omit<AgentConfig, "name">> = [
    { id: "missing", command: ["no-such-program-anywhere"], prompt: "stdin" },
    { id: "relative", command: ["./agent"], prompt: "stdin" },
    { id: "folder", command: ["/tmp"], prompt: "stdin" },
    { id: "placeholder", command: ["cat"], prompt: "file" },
    { id: "long", command: ["true", "x".repeat(200_000)], prompt: "stdin" },
    { id: "interpreter", command: ["INTERPRETER"], prompt: "stdin" }
  ]

  it("is told so, with what to do, and nothing is left of it", async () => {
    const script = join(process.env["TMPDIR"] ?? "/tmp", `coppice-interpreter-${process.pid}`)
    writeFileSync(script, "#!/no/such/interpreter\n", { mode: 0o755 })
    onTestFinished(() => void import("node:fs").then(({ rmSync }) => rmSync(script)))
    const world = await withAgents(agents.map((agent) => agent.id === "interpreter" ? { ...agent, command: [script] } : agent))
    for (const { id } of agents) {
      const failure = await failureOf(world.agentLauncher.start(world.launch(id)))
      expect(failure, id).toMatchObject({ _tag: "AgentUnavailable", code: "UNAVAILABLE" })
      expect(failure.hint, id).toMatch(/agents\[\]\.command/)
    }
    expect(await failureOf(world.agentLauncher.start(world.launch("unknown")))).toMatchObject({ _tag: "AgentUnavailable" })
    expect(readdirSync(join(world.home, "processes"))).toEqual([])
    const listed = await Effect.runPromise(world.agentLauncher.agents())
    expect(listed.filter(({ unavailableReason }) => unavailableReason !== undefined).map(({ id }) => id)).toEqual(["missing", "relative", "folder", "placeholder"])
  })

  it("is not started outside of the host's worktrees, nor after its deadline", async () => {
    const world = await withAgents([{ id: "true", command: ["true"], prompt: "stdin" }])
    for (const directory of ["/tmp", join(world.home, "worktrees"), join(world.home, "worktrees/../processes"), "relative", join(world.home, "worktrees/none")]) {
      expect(await failureOf(world.agentLauncher.start({ ...world.launch("true"), directory }))).toMatchObject({ _tag: "AgentUnavailable" })
    }
    expect(await failureOf(world.agentLauncher.start({ ...world.launch("true"), deadline: soon(-1) }))).toMatchObject({ _tag: "AgentUnavailable" })
  })
})
