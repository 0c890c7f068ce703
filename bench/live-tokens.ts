import type { PostgresServer } from "@coppice/testkit/postgres"
import autocannon from "autocannon"
import { Effect } from "effect"
import { startTimedChild } from "./child.ts"
import { databaseSeconds, secondsBetween } from "./database-time.ts"
import { median } from "./load.ts"
import { legacyRequest } from "./mcp-load.ts"
import { dropAccessTokens, fillAccessTokens, seedAccessTokens } from "./oauth-seed.ts"
import type { Result } from "./result.ts"

const connections = 32
const rounds = 5
const seconds = 3
const few = 10
const spread = 1000
const many = 100_000

/** (j) Requests with an access token that are served when there are many live tokens, against when there are few. */
export const liveTokens = async (postgres: PostgresServer): Promise<Result> => {
  const database = await Effect.runPromise(postgres.createDatabase("live_tokens"))
  const server = await startTimedChild("mcp-server.ts", { BENCH_DATABASE_URL: database })
  const { body, headers } = legacyRequest("ping", {})
  const load = async (tokens: ReadonlyArray<string>) => {
    const result = await autocannon({
      url: `${server.url}/mcp`,
      connections,
      duration: seconds,
      requests: tokens.map((token) => ({ method: "POST", path: "/mcp", headers: { ...headers, authorization: `Bearer ${token}` }, body }))
    })
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were no 200, ${result.errors} requests failed`)
    return { answered: result["2xx"], clock: result["2xx"] / result.duration }
  }
  /** Answers per second of processor time of the server and the database together, and by the clock. */
  const measure = async (tokens: ReadonlyArray<string>) => {
    const rates: Array<{ readonly both: number; readonly server: number; readonly clock: number }> = []
    for (let round = 0; round <= rounds; round++) {
      const [before, connectionsBefore] = [await server.weigh(), await databaseSeconds(database)]
      const { answered, clock } = await load(tokens)
      const own = (await server.weigh()).processorSeconds - before.processorSeconds
      const databases = secondsBetween(connectionsBefore, await databaseSeconds(database))
      // The first round counts for nothing, so that all is warm.
      if (round > 0) rates.push({ both: answered / (own + databases), server: answered / own, clock })
    }
    return { both: median(rates.map(({ both }) => both)), server: median(rates.map(({ server }) => server)), clock: median(rates.map(({ clock }) => clock)) }
  }
  try {
    const tokens = await seedAccessTokens(database, few, server.url)
    const before = await measure(tokens)
    const others = await seedAccessTokens(database, spread, server.url)
    await fillAccessTokens(database, many)
    const after = await measure(tokens)
    const apart = await measure(others)
    await dropAccessTokens(database, few)
    const again = await measure(tokens)
    // On both sides of it, because a server gets faster for a while.
    const usual = (by: keyof typeof before) => (before[by] + again[by]) / 2
    const value = after.both / usual("both")
    return {
      name: `(j) authenticated requests with ${many} live access tokens, against ${few}`,
      value,
      reach: "at least 0.9",
      met: value >= 0.9,
      details: {
        perSecondOfProcessorTime: `${Math.round(after.both)} and ${Math.round(usual("both"))}`,
        byTheServersTimeAlone: (after.server / usual("server")).toFixed(2),
        byTheClock: `${(after.clock / usual("clock")).toFixed(2)} (${Math.round(after.clock)} and ${Math.round(usual("clock"))} a second)`,
        spreadOver1000OfThem: `${(apart.both / usual("both")).toFixed(2)} (${Math.round(apart.clock)} a second by the clock)`
      },
      how: `ping over MCP, each request judged and counted in PostgreSQL; the same ${few} tokens in turn before there were ${many}, while there were, ` +
        "and after the others were gone, on the same server and database; answers per second of the processor time of the server and of its connections to the database; " +
        `the server on one core, ${connections} connections, ${rounds} rounds of ${seconds} s each, medians`
    }
  } finally {
    await server.stop()
  }
}
