import { Effect } from "effect"
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { AgentConfig } from "../src/index.ts"
import { node, text, withAgents } from "./agents.ts"
import { failureOf, fixture, soon, until } from "./sandbox.ts"

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

  it("has no descriptor of the service's beside the standard streams", async () => {
    const script = `const fs = require("fs"); for (const fd of fs.readdirSync("/proc/self/fd")) try { console.log(fd, fs.readlinkSync("/proc/self/fd/" + fd)) } catch {}`
    const world = await withAgents([{ id: "descriptors", command: [node, "-e", script], prompt: "stdin" }])
    const open = openSync("/etc/passwd", "r")
    onTestFinished(() => closeSync(open))
    const rows = text(await world.run("descriptors")).trim().split("\n").filter((row) => !/^[012] /.test(row))
    // What Node opens for itself, and what was inherited, which leads nowhere now.
    expect(rows.filter((row) => !/ (?:\/dev\/null|anon_inode:.*|pipe:\[\d+\])$/.test(row))).toEqual([])
    expect(rows.filter((row) => row.endsWith("/etc/passwd"))).toEqual([])
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
    onTestFinished(() => rmSync(script))
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
