import { execFile } from "node:child_process"
import type { Effect } from "effect"
import { type Command, type Context, Failed } from "../command.ts"
import { bytes, table } from "../text.ts"
import type { Config } from "../../config/config.ts"

type State = "ok" | "note" | "broken"

interface Check {
  readonly name: string
  readonly state: State
  readonly message: string
  readonly hint?: string
}

const check = (name: string, state: State, message: string, hint?: string): Check =>
  hint === undefined ? { name, state, message } : { name, state, message, hint }

const broken = (name: string, error: unknown): Check => {
  const { hint, message } = error as { readonly message: string; readonly hint?: string }
  return check(name, "broken", message, hint)
}

/** Runs an effect to a check: what fails is broken, and says why itself. */
const tried = async <A, E>(name: string, effect: Effect.Effect<A, E>, say: (value: A) => string): Promise<[Check, A?]> => {
  const { Cause, Effect, Exit } = await import("effect")
  const exit = await Effect.runPromiseExit(effect)
  return Exit.isSuccess(exit)
    ? [check(name, "ok", say(exit.value)), exit.value]
    : [broken(name, Cause.squash(exit.cause))]
}

const answersHttp = async (url: string): Promise<Check> => {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) })
    await response.body?.cancel()
    return response.ok
      ? check("server", "ok", `answers at ${url}`)
      : check("server", "broken", `answers at ${url} that it is not ready (${response.status})`, "Its log says why.")
  } catch (error) {
    return check("server", "broken", `does not answer at ${url}: ${(error as Error).message}`, "Its log says why.")
  }
}

const service = async ({ session }: Context, running: boolean, config: Config | undefined): Promise<ReadonlyArray<Check>> => {
  const report = await session.call("doctor", {})
  const low = report.freeBytes < report.minFreeBytes
  const kind = config?.databaseUrl === undefined ? "embedded" : "PostgreSQL"
  return [
    report.databaseProblem === undefined
      ? check("database", "ok", kind)
      : check("database", "broken", `${kind}: ${report.databaseProblem}`),
    low
      ? check("disk", "broken", `${bytes(report.freeBytes)} free, ${bytes(report.minFreeBytes)} are needed`, "No run is prepared until there is room.")
      : check("disk", "ok", `${bytes(report.freeBytes)} free`),
    check("repositories", report.repositoryRoots.length === 0 ? "note" : "ok",
      report.repositoryRoots.length === 0 ? "no folder is allowed" : `under ${report.repositoryRoots.join(", ")}`,
      ...(report.repositoryRoots.length === 0 ? ["Name folders in repositoryRoots of the configuration file."] : [])),
    ...report.agents.map((agent) =>
      check(`agent ${agent.id}`, agent.unavailableReason === undefined ? "ok" : "broken", agent.unavailableReason ?? `${agent.name}, prompt by ${agent.prompt}`)),
    ...(report.agents.length === 0
      ? [check("agents", "note", "none is configured", `Name some under agents in ${config?.configFile ?? "the configuration file"}.`)]
      : []),
    check("base URL", "ok", report.baseUrl),
    ...(running ? [] : [check("server", "note", "is not running", "Start it: npm start")])
  ]
}

const git = (): Promise<string> =>
  new Promise((resolve) => execFile("git", ["--exec-path"], (_, stdout) => resolve(stdout.trim())))

const symbols: Readonly<Record<State, string>> = { ok: "ok", note: "note", broken: "BROKEN" }

export const doctor: Command = {
  name: "doctor",
  summary: "Check the machine, the configuration and the service",
  asNobody: true,
  run: async (context) => {
    // The configuration is read with what the service is made of, and only this command has to wait for that.
    const { loadConfig } = await import("../../config/config.ts")
    const { requireGit } = await import("../../home/git-version.ts")
    const { readPresence } = await import("../../home/presence.ts")
    const [configuration, config] = await tried("configuration", loadConfig(process.env), ({ configFile }) => configFile)
    const [gitCheck] = await tried("git", requireGit, (version) => version)
    const checks: Array<Check> = [
      check("node", "ok", process.version),
      gitCheck.state === "ok" ? { ...gitCheck, message: `${gitCheck.message} (${await git()})` } : gitCheck,
      configuration,
      check("data", "ok", context.home)
    ]
    try {
      const running = await context.isServerRunning()
      checks.push(...await service(context, running, config))
      const url = readPresence(context.home)?.url
      if (running && url !== undefined) checks.push(await answersHttp(url))
    } catch (error) {
      if (!(error instanceof Failed)) throw error
      if (configuration.state === "ok" && gitCheck.state === "ok") checks.push(broken("service", error))
    }
    const failed = checks.some(({ state }) => state === "broken")
    return {
      json: { ok: !failed, checks },
      failed,
      text: `${table(["CHECK", "STATE", "DETAIL"], checks.map(({ hint, message, name, state }) =>
        [name, symbols[state], hint === undefined ? message : `${message}. ${hint}`.replace("..", ".")]))}\n${
        failed ? "\nSomething is broken." : "\nAll is well."
      }`
    }
  }
}
