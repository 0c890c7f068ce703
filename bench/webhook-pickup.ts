import type { OrganizationId, Run } from "@coppice/core"
import { OrganizationStore, RunStore, WorkspaceStore } from "@coppice/core/ports"
import type { PostgresServer } from "@coppice/testkit/postgres"
import { DateTime, Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { startFullServer } from "./full-server.ts"
import { bodyOf, quantile } from "./load.ts"
import type { Result } from "./result.ts"

const runs = 60
const warmUp = 10
const bodyBytes = 1024

/** Writes down, beside the worktrees, when its process began. */
const agentScript = `
import { renameSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
const file = fileURLToPath(new URL("./started-" + process.env.COPPICE_RUN_ID, import.meta.url))
writeFileSync(file + ".tmp", String(performance.timeOrigin))
renameSync(file + ".tmp", file)
`

/** (b) From the request to the start of the agent's process, without what the worktree took in the same run. */
export const webhookPickup = async (postgres: PostgresServer): Promise<Result> => {
  const server = await startFullServer(await Effect.runPromise(postgres.createDatabase("pickup")), {
    agentScript,
    automations: 1,
    maxConcurrentRuns: 4
  })
  try {
    const { path, token } = server.targets[0]!
    const body = bodyOf(bodyBytes)
    const samples: Array<{ whole: number; worktree: number }> = []
    for (let index = 0; index < runs; index++) {
      const sentAt = Date.now()
      const response = await fetch(server.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body
      })
      const { runId } = await response.json() as { runId: Run["id"] }
      const file = join(server.home, `started-${runId}`)
      while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 2))
      const startedAt = Number(readFileSync(file, "utf8"))
      const worktree = await server.onStores(Effect.gen(function*() {
        const organizationId: OrganizationId = (yield* (yield* OrganizationStore).organizations())[0]!.id
        const run = (yield* (yield* RunStore).get(organizationId, runId))!
        const workspace = (yield* (yield* WorkspaceStore).get(organizationId, run.workspaceId!))!
        return DateTime.toEpochMillis(workspace.updatedAt) - DateTime.toEpochMillis(workspace.createdAt)
      }))
      if (index >= warmUp) samples.push({ whole: startedAt - sentAt, worktree })
    }
    const without = samples.map(({ whole, worktree }) => whole - worktree)
    const p50 = quantile(without, 0.5)
    return {
      name: "(b) milliseconds from webhook to agent process, p50",
      value: p50,
      reach: "at most 60",
      met: p50 <= 60,
      details: {
        p95Millis: Math.round(quantile(without, 0.95)),
        worktreeP50Millis: quantile(samples.map(({ worktree }) => worktree), 0.5),
        wholeP50Millis: Math.round(quantile(samples.map(({ whole }) => whole), 0.5))
      },
      how: `${runs - warmUp} webhooks one after another to the whole server on PostgreSQL; from before the request to the moment ` +
        "that the agent's process says it began, less the time from the workspace's record to its being ready, within each run"
    }
  } finally {
    await server.stop()
  }
}
