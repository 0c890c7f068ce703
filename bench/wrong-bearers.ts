import type { PostgresServer } from "@coppice/testkit/postgres"
import { Effect } from "effect"
import { addressIn, startChild, startTimedChild } from "./child.ts"
import { median, quantile } from "./load.ts"
import { askOnce, legacyRequest } from "./mcp-load.ts"
import { seedKeys } from "./mcp-seed.ts"
import type { Result } from "./result.ts"

const rounds = 5
const callsEach = 100
const pauseMillis = 30
const floodPerSecond = 1_700

/** (g) How much longer a call takes while others present wrong credentials. */
export const wrongBearers = async (postgres: PostgresServer): Promise<Result> => {
  const database = await Effect.runPromise(postgres.createDatabase("wrong_bearers"))
  const [key] = await seedKeys(database, 1)
  const server = await startTimedChild("mcp-server.ts", { BENCH_DATABASE_URL: database })
  const { body, headers } = legacyRequest("tools/call", { name: "projects_list", arguments: { limit: 10 } })
  const request = { body, headers: { ...headers, authorization: `Bearer ${key}` } }
  const measure = async (): Promise<ReadonlyArray<number>> => {
    const millis: Array<number> = []
    for (let call = 0; call < callsEach; call++) {
      const began = performance.now()
      await askOnce(`${server.url}/mcp`, request)
      millis.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, pauseMillis))
    }
    return millis
  }
  try {
    await measure()
    const quiet: Array<ReadonlyArray<number>> = []
    const flooded: Array<ReadonlyArray<number>> = []
    for (let round = 0; round < rounds; round++) {
      quiet.push(await measure())
      const env = { BENCH_FLOOD_URL: `${server.url}/mcp`, BENCH_FLOOD_RATE: String(floodPerSecond) }
      const flood = await startChild(new URL("flood.ts", import.meta.url).pathname, env, addressIn)
      flooded.push(await measure())
      await flood.stop()
    }
    const slower = (part: number) => median(flooded.map((calls, round) => quantile(calls, part) / quantile(quiet[round]!, part)))
    return {
      name: "(g) a call's duration while others present wrong credentials, against a quiet time",
      value: slower(0.5),
      reach: "at most 2",
      met: slower(0.5) <= 2,
      details: {
        quietP50Millis: median(quiet.map((calls) => quantile(calls, 0.5))).toFixed(2),
        floodedP50Millis: median(flooded.map((calls) => quantile(calls, 0.5))).toFixed(2),
        p95Ratio: slower(0.95).toFixed(2)
      },
      how: `tools/call of projects_list, one at a time, ${callsEach} calls ${pauseMillis} ms apart; ${floodPerSecond} wrong bearers a ` +
        `second (100,000 a minute), all different, half of them well formed; p50, median of ${rounds} rounds; the server on one core`
    }
  } finally {
    await server.stop()
  }
}
