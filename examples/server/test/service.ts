import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, onTestFinished } from "vitest"
import type { Answers } from "../src/cli/answers.ts"
import { coppice, type Server, startServer } from "../src/demo/child.ts"
import { makeScratch, type Scratch, scratchEnvironment } from "../src/demo/scratch.ts"

/** Agents for tests. Each leaves a file beside the data folder once it is at work, so that a test can wait for it. */
const agents: Readonly<Record<string, string>> = {
  // Works until it is told to stop.
  patient: `setInterval(() => {}, 1000)`,
  // Does not stop when it is told to.
  stubborn: `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`,
  // Is patient the first time, and done at once the second.
  retried: `if (existsSync(marks + "/retried.1")) { writeFileSync("done.txt", "done\\n"); process.exit(0) }
    writeFileSync(marks + "/retried.1", ""); setInterval(() => {}, 1000)`
}

const source = (marks: string, name: string, body: string): string =>
  `import { cpSync, existsSync, writeFileSync } from "node:fs"
const marks = ${JSON.stringify(marks)}
process.stdin.resume()
${body}
writeFileSync(marks + "/${name}.pid", String(process.pid))
`

let template: Promise<Scratch> | undefined

/** A data folder whose database is made: to make one takes seconds, to copy one does not. */
const makeTemplate = async (): Promise<Scratch> => {
  const scratch = makeScratch()
  const { code, stderr } = await coppice(environmentOf(scratch), ["doctor"])
  if (code !== 0) throw new Error(`No data folder could be made:\n${stderr}`)
  return scratch
}

afterAll(async () => (await template)?.remove())

/** A data folder with a repository and agents, for one test. */
export const scratchForTest = async (config: object = {}, { embedded = true } = {}) => {
  const scratch = makeScratch()
  onTestFinished(scratch.remove)
  if (embedded) cpSync((await (template ??= makeTemplate())).home, scratch.home, { recursive: true })
  const scribe = { id: "scribe", command: [process.execPath, join(scratch.folder, "agent.mjs")], prompt: "stdin" }
  scratch.writeConfig({
    repositoryRoots: [scratch.folder],
    agents: [
      scribe,
      ...Object.entries(agents).map(([id, body]) => {
        const file = join(scratch.folder, `${id}.mjs`)
        writeFileSync(file, source(scratch.folder, id, body))
        return { id, command: [process.execPath, file], prompt: "stdin" }
      })
    ],
    ...config
  })
  return scratch
}

export const environmentOf = scratchEnvironment

/** The real service, ended with the test whatever becomes of it. */
export const serverForTest = async (env: NodeJS.ProcessEnv): Promise<Server> => {
  const server = await startServer(env)
  onTestFinished(async () => {
    // In order, so that its agents end with it; whatever has become of it by then, it does not outlive the test.
    if (server.process.exitCode !== null || server.process.signalCode !== null) return
    const late = setTimeout(() => server.process.kill("SIGKILL"), 20_000)
    await server.stop("SIGTERM")
    clearTimeout(late)
  })
  return server
}

/** The document that a command prints with `--json`. */
export const typed = async <A = unknown>(env: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>): Promise<A> => {
  const { code, stderr, stdout } = await coppice(env, [...args, "--json"])
  if (code !== 0) throw new Error(`coppice ${args.join(" ")} ended with code ${code}:\n${stderr}`)
  return JSON.parse(stdout) as A
}

/** A user, a project and an automation for an agent; answers the automation and a webhook token. */
export const furnish = async (env: NodeJS.ProcessEnv, scratch: Scratch, agent: string) => {
  await typed(env, "users", "create", "--email", "ann@example.com")
  await typed(env, "projects", "add", scratch.repository)
  const { automation } = await typed<Answers["automations_create"]>(
    env, "automations", "create", "--name", agent, "--project", "greeter", "--agent", agent, "--prompt", "Do it."
  )
  return automation
}

export const runOf = async (env: NodeJS.ProcessEnv, automation: { readonly id: string }, payload = "{}") =>
  (await typed<Answers["automations_run"]>(env, "automations", "run", automation.id, "--payload", payload)).run

const patienceMillis = 30_000

/** Looks again until there is something to see. */
export const until = async <A>(what: string, look: () => A | undefined | false): Promise<A> => {
  const deadline = Date.now() + patienceMillis
  while (Date.now() < deadline) {
    const seen = look()
    if (seen !== undefined && seen !== false) return seen
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`Waited ${patienceMillis} ms in vain: ${what}`)
}

/** The pid of an agent that is at work. */
export const agentAtWork = (scratch: Scratch, agent: string): Promise<number> => {
  const file = join(scratch.folder, `${agent}.pid`)
  return until(`the agent ${agent} is at work`, () => existsSync(file) && (Number(readFileSync(file, "utf8")) || undefined))
}

/** Whether a process runs. One that has ended may wait a while for whoever inherited it to notice. */
export const isAlive = (pid: number): boolean => {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z")
}

/** The exit code, once the process has ended. */
export const exitOf = async (server: Server): Promise<number | null> => {
  if (server.process.exitCode === null && server.process.signalCode === null) await once(server.process, "close")
  return server.process.exitCode
}

/** What an MCP client reads at an address. */
export const readResource = async (url: string, key: string, uri: string): Promise<string> => {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } })
  })
  const { error, result } = await response.json() as {
    readonly error?: { readonly message: string }
    readonly result?: { readonly contents: ReadonlyArray<{ readonly text: string }> }
  }
  if (result === undefined) throw new Error(error?.message)
  return result.contents[0]!.text
}
