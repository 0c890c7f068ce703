import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Answers, RunRecord, WorkspaceRecord } from "../../src/cli/answers.ts"
import { socketSession } from "../../src/cli/socket-session.ts"
import { makeScratch, scratchEnvironment } from "../../src/demo/scratch.ts"
import { readPresence } from "../../src/home/presence.ts"
import { eventually } from "./eventually.ts"
import { freePort } from "./free-port.ts"
import { watchProcesses } from "./process-watch.ts"
import { launchServer, type ServerProcess } from "./server-process.ts"
import { webhookClient } from "./webhook-client.ts"

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

/** A line that the agent wrote down. */
export interface AgentLine {
  readonly what: "start" | "prompt" | "end"
  readonly at: number
  readonly pid: number
  readonly run: string
  readonly session: string
  readonly n?: number
  readonly how?: "done" | "term"
  readonly others?: ReadonlyArray<number>
}

export interface SiteOptions {
  /** A PostgreSQL server; without it the site's server has an embedded database. */
  readonly databaseUrl?: string
  /** As short as the configuration lets them be: a lease of 4 s, which is given up 2 s before its end. */
  readonly runs?: { readonly leaseSeconds?: number; readonly heartbeatSeconds?: number; readonly terminateSeconds?: number }
  readonly maxConcurrentRuns?: number
  /** Set-up commands, which the gate `setup` holds back until it is open. */
  readonly setup?: true
}

const terminal: ReadonlyArray<string> = ["succeeded", "failed", "cancelled"]

export const hasEnded = ({ status }: { readonly status: string }): boolean => terminal.includes(status)

/** A data folder, a repository, and the real server on them, which is to be treated badly. */
export const makeSite = async ({ databaseUrl, maxConcurrentRuns = 3, runs = {}, setup }: SiteOptions) => {
  const scratch = makeScratch()
  const temporary = join(scratch.folder, "tmp")
  const gates = join(scratch.folder, "gates")
  const log = join(scratch.folder, "agent.log")
  const faultFile = join(scratch.folder, "fault")
  for (const folder of [temporary, gates]) mkdirSync(folder)
  writeFileSync(log, "")
  scratch.writeConfig({
    repositoryRoots: [scratch.folder],
    maxConcurrentRuns,
    runs: { leaseSeconds: 4, heartbeatSeconds: 1, terminateSeconds: 0, minFreeBytes: 0, ...runs },
    agents: [{
      id: "agent",
      command: [process.execPath, fixture("fault-agent.mjs")],
      prompt: "stdin",
      env: { set: { FAULT_LOG: log, FAULT_GATES: gates } }
    }]
  })
  const env: NodeJS.ProcessEnv = {
    ...scratchEnvironment(scratch),
    TMPDIR: temporary,
    COPPICE_LOG: "json",
    // The same after every start, so that who sends webhooks need not know of it.
    PORT: String(await freePort()),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl })
  }
  const watch = watchProcesses(temporary, () => [scratch.home])
  const client = webhookClient()
  const lives: Array<ServerProcess> = []

  const output = () => lives.map((each, life) => `--- life ${life + 1}\n${each.output()}`).join("\n").slice(-20_000)

  const launch = (options: { readonly failpoints?: true } = {}): ServerProcess => {
    const server = launchServer({
      ...env,
      ...(options.failpoints === true ? { FAULT_FILE: faultFile, NODE_OPTIONS: `--import ${fixture("failpoints.ts")}` } : {})
    })
    lives.push(server)
    return server
  }

  const server = (): ServerProcess => {
    const last = lives.at(-1)
    if (last === undefined) throw new Error("No server was started")
    return last
  }

  const ended = (): Promise<string | number> => {
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error(`The server does not end:\n${output()}`)), 20_000).unref())
    return Promise.race([server().ended, late])
  }

  const call = <Name extends keyof Answers>(operation: Name, args: object): Promise<Answers[Name]> => {
    const socket = readPresence(scratch.home)?.socket
    if (socket === undefined) throw new Error("No server is there")
    return socketSession(socket, undefined).call(operation, args as Record<string, unknown>)
  }

  const allRuns = async (): Promise<ReadonlyArray<RunRecord>> => {
    const found: Array<RunRecord> = []
    let cursor: string | undefined
    do {
      const page = await call("runs_list", { limit: 100, ...(cursor === undefined ? {} : { cursor }) })
      found.push(...page.runs)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return found
  }

  const allWorkspaces = async (): Promise<ReadonlyArray<WorkspaceRecord>> => {
    const found: Array<WorkspaceRecord> = []
    let cursor: string | undefined
    do {
      const page = await call("workspaces_list", { limit: 100, ...(cursor === undefined ? {} : { cursor }) })
      found.push(...page.workspaces)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return found
  }

  /** A project and an automation with its webhook. The first one of a database needs a user too. */
  const furnish = async (options: { readonly user?: false; readonly hostId?: string; readonly name?: string } = {}) => {
    const { hostId, name = "work", user } = options
    if (user !== false) await call("users_create", { email: "ann@example.com" })
    const projectId = await call("projects_list", { limit: 100 }).then(({ projects }) =>
      projects.find(({ repositoryPath }) => repositoryPath === scratch.repository)?.id) ??
      (await call("projects_create", {
        name: `${name}-project`,
        repositoryPath: scratch.repository,
        ...(hostId === undefined ? {} : { hostId }),
        ...(setup === undefined ? {} : {
          setup: { commands: [["sh", "-c", `echo $$ >>${gates}/../setup.log; while [ ! -e ${gates}/setup ]; do sleep 0.02; done`]] }
        })
      })).project.id
    const { automation } = await call("automations_create", { name, projectId, agent: "agent", prompt: "Do it." })
    const { token } = await call("automations_webhook_token", { automationId: automation.id })
    return { automationId: automation.id, token, url: `http://127.0.0.1:${env["PORT"]}/api/automations/webhook/${automation.id}` }
  }

  const lines = (): ReadonlyArray<AgentLine> =>
    readFileSync(log, "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as AgentLine)

  return {
    scratch,
    env,
    watch,
    client,
    gates,
    launch,
    /** Starts the server, and answers once it says that it is ready. */
    start: async (options: { readonly failpoints?: true } = {}): Promise<ServerProcess> => {
      const started = launch(options)
      await started.ready
      return started
    },
    /** Waits for the server's end, and answers the signal or the exit code that it ended by. */
    ended,
    output,
    call,
    allRuns,
    allWorkspaces,
    furnish,
    lines,
    server,
    base: `http://127.0.0.1:${env["PORT"]}`,
    kill: async () => {
      server().process.kill("SIGKILL")
      await ended()
    },
    /** Has the server die at a point. */
    arm: (point: string) => writeFileSync(faultFile, point),
    disarm: () => rmSync(faultFile, { force: true }),
    open: (gate: string) => writeFileSync(join(gates, gate), ""),
    shut: (gate: string) => rmSync(join(gates, gate), { force: true }),
    setupStarts: () => existsSync(join(scratch.folder, "setup.log"))
      ? readFileSync(join(scratch.folder, "setup.log"), "utf8").split("\n").length - 1
      : 0,
    /** Waits until agents have been asked to work on these. */
    atWork: (ns: ReadonlyArray<number>) =>
      eventually(`agents work on ${ns.join(", ")}`, () => {
        const asked = new Set(lines().filter(({ what }) => what === "prompt").map(({ n }) => n))
        return ns.every((n) => asked.has(n))
      }, { otherwise: output }),
    /** Waits until every run has ended, and answers them. */
    settled: (forMillis = 30_000) =>
      eventually("every run ends", async () => {
        const found = await allRuns()
        return found.every(hasEnded) && found
      }, { forMillis, everyMillis: 100, otherwise: output }),
    /** Nothing is left of it, whatever became of the test. */
    close: async () => {
      for (const { ended, process: child } of lives) {
        child.kill("SIGKILL")
        await ended
      }
      watch.stop()
      watch.endAll()
      scratch.remove()
    }
  }
}
export type Site = Awaited<ReturnType<typeof makeSite>>
