import type { AgentEvent } from "@coppice/core"
import { Effect, Stream } from "effect"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { AgentConfig } from "../src/index.ts"
import { sandbox, sessionId, soon, workspaceId } from "./sandbox.ts"

export const node = process.execPath

/** A host with agents, and a folder that stands for a worktree. */
export const withAgents = async (agents: ReadonlyArray<Omit<AgentConfig, "name">>, more: Parameters<typeof sandbox>[0] = {}) => {
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

export const text = (events: ReadonlyArray<AgentEvent>, stream = "stdout"): string =>
  events.map((event) => event._tag === "Output" && event.stream === stream ? event.text : "").join("")

/** The pids that the tree fixture wrote, by name. */
export const pidsIn = (file: string): ReadonlyMap<string, number> =>
  new Map(existsSync(file)
    ? readFileSync(file, "utf8").trim().split("\n").map((row) => [row.split(" ")[0]!, Number(row.split(" ")[1])] as const)
    : [])

/** How many it starts, itself included. */
export const treeSize = 8
