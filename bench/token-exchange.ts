import type { PostgresServer } from "@coppice/testkit/postgres"
import { Effect } from "effect"
import { startTimedChild, type TimedChild } from "./child.ts"
import { databaseSeconds, secondsBetween } from "./database-time.ts"
import { median } from "./load.ts"
import { seedCodes } from "./oauth-seed.ts"
import type { Result } from "./result.ts"
import { redeemAll, refreshAll, type TokenSeed } from "./token-load.ts"

const connections = 32
const warmRounds = 2
const rounds = 5
const codesPerRound = 2000
const codeCount = (warmRounds + rounds) * codesPerRound

const grantTypes = ["authorization_code", "refresh_token"] as const
type GrantType = (typeof grantTypes)[number]

/** No slower than the one that many use, though what is judged and what is stored are one statement here. */
const reach = 1

interface Server {
  readonly child: TimedChild
  readonly database: string
  readonly endpoint: string
  readonly seed: TokenSeed
}

/** Exchanges per second: of the server's processor time, of that and the database's, and by the clock. */
interface Rates {
  readonly server: number
  readonly both: number
  readonly clock: number
}

const timed = async <A>({ child, database }: Server, work: () => Promise<A>): Promise<readonly [Rates, A]> => {
  const [before, connectionsBefore, began] = [await child.weigh(), await databaseSeconds(database), performance.now()]
  const done = await work()
  const seconds = (performance.now() - began) / 1000
  const own = (await child.weigh()).processorSeconds - before.processorSeconds
  const databases = secondsBetween(connectionsBefore, await databaseSeconds(database))
  return [{ server: codesPerRound / own, both: codesPerRound / (own + databases), clock: codesPerRound / seconds }, done]
}

/** (i) Codes redeemed, and refresh tokens exchanged, per second of processor time, against oidc-provider on the same database. */
export const tokenExchange = async (postgres: PostgresServer): Promise<ReadonlyArray<Result>> => {
  const children: Array<TimedChild> = []
  const start = async (name: string, database: string, env: Readonly<Record<string, string>> = {}): Promise<TimedChild> => {
    const child = await startTimedChild(name, { BENCH_DATABASE_URL: database, ...env })
    children.push(child)
    return child
  }
  try {
    const databases = await Effect.runPromise(Effect.all([
      postgres.createDatabase("token_coppice"),
      postgres.createDatabase("token_oidc")
    ]))
    const seed = await seedCodes(databases[0], codeCount, "http://127.0.0.1")
    const coppice = await start("mcp-server.ts", databases[0])
    const oidc = await start("oidc-server.ts", databases[1], { BENCH_CODES: String(codeCount) })
    const servers: Record<"oidc" | "coppice", Server> = {
      oidc: {
        child: oidc,
        database: databases[1],
        endpoint: `${oidc.url}/token`,
        seed: await (await fetch(`${oidc.url}/seed`)).json() as TokenSeed
      },
      coppice: { child: coppice, database: databases[0], endpoint: `${coppice.url}/api/auth/oauth2/token`, seed }
    }
    const rates: Record<GrantType, Record<keyof typeof servers, Array<Rates>>> = {
      authorization_code: { oidc: [], coppice: [] },
      refresh_token: { oidc: [], coppice: [] }
    }
    for (let round = 0; round < warmRounds + rounds; round++) {
      for (const [name, server] of Object.entries(servers) as ReadonlyArray<[keyof typeof servers, Server]>) {
        const { endpoint, seed: { clientId, codes } } = server
        const ofRound = codes.slice(round * codesPerRound, (round + 1) * codesPerRound)
        const [redeemed, tokens] = await timed(server, () => redeemAll(endpoint, clientId, ofRound, connections))
        const [refreshed] = await timed(server, () => refreshAll(endpoint, clientId, tokens, connections))
        // The first rounds count for nothing, so that both are warm.
        if (round < warmRounds) continue
        rates.authorization_code[name].push(redeemed)
        rates.refresh_token[name].push(refreshed)
      }
    }
    return grantTypes.map((type) => toResult(type, rates[type]))
  } finally {
    for (const child of children) await child.stop()
  }
}

const toResult = (type: GrantType, { coppice, oidc }: Record<"oidc" | "coppice", ReadonlyArray<Rates>>): Result => {
  const ratios = (by: keyof Rates) => coppice.map((rate, round) => rate[by] / oidc[round]![by])
  const middle = (rates: ReadonlyArray<Rates>, by: keyof Rates) => Math.round(median(rates.map((rate) => rate[by])))
  const value = median(ratios("server"))
  return {
    name: `(i) ${type} exchanges per second of a core, against oidc-provider on the same PostgreSQL`,
    value,
    reach: `at least ${reach}`,
    met: value >= reach,
    details: {
      coppicePerSecond: middle(coppice, "server"),
      oidcProviderPerSecond: middle(oidc, "server"),
      withTheDatabasesTime: `${median(ratios("both")).toFixed(2)} (${middle(coppice, "both")} and ${middle(oidc, "both")})`,
      byTheClock: `${median(ratios("clock")).toFixed(2)} (${middle(coppice, "clock")} and ${middle(oidc, "clock")})`,
      ratioOfEachRound: ratios("server").map((ratio) => ratio.toFixed(2)).join(" ")
    },
    how: `a public client with PKCE (S256), opaque tokens, refresh tokens that rotate, no ID token; ${codesPerRound} codes in each round, approved ` +
      "beforehand through the stores, and then the refresh tokens that came of them; exchanges per second of the server's own processor time, " +
      "which neighbours and the database hardly change; oidc-provider with one table for its models, found by their key, through the same " +
      `client of PostgreSQL; each server on one core, ${connections} connections, ${rounds} rounds in turn, medians`
  }
}
