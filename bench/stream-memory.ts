import type { PostgresServer } from "@coppice/testkit/postgres"
import { Effect } from "effect"
import { Agent, request } from "node:http"
import { startTimedChild } from "./child.ts"
import { legacyRequest } from "./mcp-load.ts"
import { seedKeys } from "./mcp-seed.ts"
import type { Result } from "./result.ts"

const keys = 25
const streamsEach = 200
const atATime = 50
/** As long as it takes until every stream has looked once by itself. */
const idleSeconds = 60

/** (h) What an open stream of an MCP session costs. */
export const streamMemory = async (postgres: PostgresServer): Promise<Result> => {
  const database = await Effect.runPromise(postgres.createDatabase("stream_memory"))
  const secrets = await seedKeys(database, keys)
  const server = await startTimedChild("mcp-server.ts", { BENCH_DATABASE_URL: database, BENCH_WEIGH: "1" })
  const url = `${server.url}/mcp`
  const agent = new Agent({ maxSockets: Infinity })
  const { body, headers } = legacyRequest("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" }
  })
  const authorization = (index: number) => `Bearer ${secrets[index % keys]!}`
  const begin = async (index: number): Promise<string> => {
    const response = await fetch(url, { method: "POST", headers: { ...headers, authorization: authorization(index) }, body })
    await response.text()
    return response.headers.get("mcp-session-id")!
  }
  const listen = (index: number, session: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: authorization(index), accept: "text/event-stream", "mcp-session-id": session }
      request(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`A stream was answered ${response.statusCode}`))
        response.on("error", () => {}).once("data", () => resolve())
      }).once("error", reject).end()
    })
  const sessions: Array<string> = []
  const inTurn = async (work: (index: number) => Promise<void>): Promise<void> => {
    let next = 0
    await Promise.all(Array.from({ length: atATime }, async () => {
      while (next < keys * streamsEach) await work(next++)
    }))
  }
  try {
    await inTurn(async (index) => void (sessions[index] = await begin(index)))
    const before = await server.weigh()
    await inTurn((index) => listen(index, sessions[index]!))
    const after = await server.weigh()
    await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000))
    const later = await server.weigh()
    const kibibytes = (name: "heldBytes" | "residentBytes") => (after[name] - before[name]) / (keys * streamsEach) / 1024
    const held = kibibytes("heldBytes")
    return {
      name: "(h) KiB held for each open stream",
      value: held,
      reach: "at most 100",
      met: held <= 100,
      details: {
        residentKiB: kibibytes("residentBytes").toFixed(1),
        partOfACoreWhileNothingHappens: ((later.processorSeconds - after.processorSeconds) / idleSeconds).toFixed(2)
      },
      how: `${keys * streamsEach} sessions of ${keys} keys, weighed before and after each has its stream, after a garbage collection; ` +
        `then ${idleSeconds} s in which nothing is said`
    }
  } finally {
    agent.destroy()
    await server.stop()
  }
}
