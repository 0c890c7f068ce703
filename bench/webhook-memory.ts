import type { PostgresServer } from "@coppice/testkit/postgres"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { startFullServer } from "./full-server.ts"
import { bodyOf, median, postWebhooks } from "./load.ts"
import type { Result } from "./result.ts"

const warmUp = 1_000
const webhooks = 10_000
const automations = 50
const connections = 32
const bodyBytes = 1024

const residentMiB = (pid: number): number =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).trim()) / 1024

/** The middle of a few looks, a while apart: a garbage collection is between two of them. */
const settledMiB = async (pid: number): Promise<number> => {
  const looks: Array<number> = []
  for (let look = 0; look < 5; look++) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    looks.push(residentMiB(pid))
  }
  return median(looks)
}

/** (c) The server's resident memory after 10,000 accepted webhooks, against before. */
export const webhookMemory = async (postgres: PostgresServer): Promise<Result> => {
  const server = await startFullServer(await Effect.runPromise(postgres.createDatabase("memory")), {
    // One run that never ends, so that all others wait in the queue.
    agentScript: "setInterval(() => {}, 1000)",
    automations,
    maxConcurrentRuns: 1
  })
  try {
    const body = bodyOf(bodyBytes)
    await postWebhooks(server.url, server.targets, { connections, body, amount: warmUp })
    const before = await settledMiB(server.pid)
    await postWebhooks(server.url, server.targets, { connections, body, amount: webhooks })
    const after = await settledMiB(server.pid)
    return {
      name: "(c) the server's memory after 10,000 accepted webhooks against before",
      value: after / before,
      reach: "at most 1.2",
      met: after / before <= 1.2,
      details: { beforeMiB: Math.round(before), afterMiB: Math.round(after) },
      how: `resident memory of the whole server on PostgreSQL, median of 5 looks 0.5 s apart; before: after ${warmUp} webhooks, so ` +
        `that its code is warm; then ${webhooks} webhooks of ${bodyBytes} B over ${automations} automations and ${connections} connections; ` +
        "the runs wait in the queue behind one that does not end"
    }
  } finally {
    await server.stop()
  }
}
