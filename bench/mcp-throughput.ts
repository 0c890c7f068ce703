import type { PostgresServer } from "@coppice/testkit/postgres"
import { Effect } from "effect"
import { startTimedChild, type TimedChild } from "./child.ts"
import { median } from "./load.ts"
import { answeredIn, askOnce, legacyRequest, type McpRequest, modernRequest } from "./mcp-load.ts"
import { seedKeys } from "./mcp-seed.ts"
import type { Result } from "./result.ts"

const connections = 32
const rounds = 3
const seconds = 3

const call = { name: "projects_list", arguments: { limit: 10 } }
const eras = [
  { letter: "e", era: "2025-11-25", make: legacyRequest, reach: 3 },
  { letter: "f", era: "2026-07-28", make: modernRequest, reach: 2 }
]
const methods = [["tools/call", call], ["tools/list", {}]] as const

/** (e, f) Answers per second of processor time of the authenticated, counted service, against the SDKs with nothing behind them. */
export const mcpThroughput = async (postgres: PostgresServer): Promise<ReadonlyArray<Result>> => {
  const database = await Effect.runPromise(postgres.createDatabase("mcp_throughput"))
  const [key] = await seedKeys(database, 1)
  const children: Array<TimedChild> = []
  const start = async (name: string, env: Readonly<Record<string, string>> = {}): Promise<TimedChild> => {
    const child = await startTimedChild(name, { BENCH_DATABASE_URL: database, ...env })
    children.push(child)
    return child
  }
  try {
    const coppice = await start("mcp-server.ts")
    const echo = await start("echo-server.ts")
    const keep = { BENCH_KEEP_SCHEMAS: "1" }
    const sdks = [
      { sdk: await start("sdk1-server.ts"), tuned: await start("sdk1-server.ts", keep) },
      { sdk: await start("sdk2-server.ts"), tuned: await start("sdk2-server.ts", keep) }
    ]
    const results: Array<Result> = []
    for (const [index, { era, letter, make, reach }] of eras.entries()) {
      for (const [method, params] of methods) {
        const request = make(method, params)
        const authorized: McpRequest = { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } }
        const servers = { coppice, echo, ...sdks[index]! }
        const rates: Record<keyof typeof servers, Array<number>> = { coppice: [], echo: [], sdk: [], tuned: [] }
        const measure = async (name: keyof typeof servers): Promise<number> => {
          const server = servers[name]
          const { processorSeconds: before } = await server.weigh()
          const answered = await answeredIn(`${server.url}/mcp`, name === "coppice" ? authorized : request, { connections, seconds })
          return answered / ((await server.weigh()).processorSeconds - before)
        }
        const bytes = {
          coppice: (await askOnce(`${coppice.url}/mcp`, authorized)).length,
          sdk: (await askOnce(`${servers.sdk.url}/mcp`, request)).length
        }
        for (let round = 0; round <= rounds; round++) {
          for (const name of ["echo", "sdk", "tuned", "coppice"] as const) {
            const rate = await measure(name)
            // The first round counts for nothing, so that all are warm.
            if (round > 0) rates[name].push(rate)
          }
        }
        const ratios = rates.coppice.map((rate, round) => rate / rates.sdk[round]!)
        results.push({
          name: `(${letter}) ${method} per second of a core in ${era}, against the official SDK without a database`,
          value: median(ratios),
          reach: `at least ${reach}`,
          met: median(ratios) >= reach,
          details: {
            coppicePerSecond: Math.round(median(rates.coppice)),
            sdkPerSecond: Math.round(median(rates.sdk)),
            sdkWithSchemasMadeOnce: Math.round(median(rates.tuned)),
            againstThat: median(rates.coppice.map((rate, round) => rate / rates.tuned[round]!)).toFixed(2),
            echoPerSecond: Math.round(median(rates.echo)),
            ofEcho: median(rates.coppice.map((rate, round) => rate / rates.echo[round]!)).toFixed(3),
            ratioOfEachRound: ratios.map((ratio) => ratio.toFixed(2)).join(" "),
            answerBytes: `${bytes.coppice} (SDK ${bytes.sdk})`
          },
          how: `${method === "tools/call" ? "projects_list, read from PostgreSQL" : "the whole catalogue"}, each request authenticated and ` +
            "counted there; the SDK: a McpServer for each request with as many tools of three fields, which answer at once; echo: bare " +
            "node:http; answers per second of the server's own processor time, which neighbours and the database hardly change; each server on " +
            `one core, ${connections} connections, ${rounds} rounds of ${seconds} s in turn, medians`
        })
      }
    }
    return results
  } finally {
    for (const child of children) await child.stop()
  }
}
