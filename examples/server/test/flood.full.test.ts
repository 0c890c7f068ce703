import { generateSecret } from "@coppice/core"
import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { Agent, request } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { callTool } from "../src/demo/mcp.ts"
import { environmentOf, scratchForTest, serverForTest, typed } from "./service.ts"
import { heapProbe, heldMebibytes, residentMebibytes } from "./support/memory.ts"
import { ask } from "./support/postgres-server.ts"

const eachKind = 25_000
const connections = 32

/** When each table that is bounded is full, and everything is compiled. */
const warmUp = 20_000

/** How many rows each table has. */
const rowCounts = async (databaseUrl: string): Promise<Record<string, number>> => {
  const tables = await ask<{ readonly name: string }>(databaseUrl, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  const counts = tables.map(({ name }) => `SELECT '${name}' AS name, count(*)::int AS rows FROM "${name}"`)
  const rows = await ask<{ readonly name: string; readonly rows: number }>(databaseUrl, counts.join(" UNION ALL "))
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}

/** Credentials that look right, each another one. */
const wellFormed = (count: number): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(Effect.provide(Effect.forEach(Array(count), () => generateSecret("apiKey")), layerWebCrypto))

describePostgres("100 000 different wrong bearers", () => {
  test("are refused without a trace, while whoever has a key is served", { timeout: 240_000 }, async () => {
    const databaseUrl = await Effect.runPromise(freshDatabase)
    // Who floods may say that it passes on the words of many.
    const env = {
      ...environmentOf(await scratchForTest({}, { embedded: false })),
      DATABASE_URL: databaseUrl,
      COPPICE_TRUSTED_PROXIES: "127.0.0.1",
      NODE_OPTIONS: heapProbe
    }
    const server = await serverForTest(env)
    const { url } = server
    await typed(env, "users", "create", "--email", "ann@example.com")
    const { key } = await typed<{ readonly key: string }>(env, "keys", "create", "--name", "client")
    await callTool(url, key, "projects_list", {})

    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    onTestFinished(() => agent.destroy())
    const present = (bearer: string, address: string | undefined) =>
      new Promise<number>((resolve, reject) => {
        const headers = {
          authorization: `Bearer ${bearer}`,
          "content-type": "application/json",
          ...(address === undefined ? {} : { "x-forwarded-for": address })
        }
        const sent = request(`${url}/mcp`, { method: "POST", agent, headers }, (response) => {
          response.resume().once("end", () => resolve(response.statusCode!)).once("error", reject)
        })
        sent.once("error", reject).end(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
      })

    const secrets = await wellFormed(2 * eachKind)
    const addressOf = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    const kinds = {
      "looks right, one address": (index: number) => present(secrets[index]!, undefined),
      "garbage, one address": (index: number) => present(`garbage-${index}`, undefined),
      "looks right, many addresses": (index: number) => present(secrets[eachKind + index]!, addressOf(index)),
      "garbage, many addresses": (index: number) => present(`other-garbage-${index}`, addressOf(eachKind + index))
    }
    const answers = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, {} as Record<number, number>]))
    let next = 0
    let floods = true
    const flood = async (until: number) => {
      await Promise.all(Array.from({ length: connections }, async () => {
        while (next < until) {
          const turn = next++
          const [kind, ask] = Object.entries(kinds)[turn % 4]!
          const status = await ask(turn >> 2)
          answers[kind]![status] = (answers[kind]![status] ?? 0) + 1
        }
      }))
    }

    const before = await rowCounts(databaseUrl)
    let served = 0
    const client = (async () => {
      while (floods) {
        await callTool(url, key, "projects_list", {})
        served++
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    })()
    await flood(warmUp)
    const warm = { held: await heldMebibytes(server), resident: residentMebibytes(server) }
    await flood(4 * eachKind)
    const grown = { held: await heldMebibytes(server) - warm.held, resident: residentMebibytes(server) - warm.resident }
    floods = false
    await client

    expect(answers).toEqual({
      "looks right, one address": { 401: eachKind },
      "garbage, one address": { 401: expect.any(Number), 429: expect.any(Number) },
      "looks right, many addresses": { 401: eachKind },
      "garbage, many addresses": { 401: eachKind }
    })
    expect(served).toBeGreaterThan(0)
    const after = await rowCounts(databaseUrl)
    expect(Object.keys(after).filter((table) => after[table]! > before[table]!)).toEqual([])
    console.info(`MiB more after 80 000: ${grown.held.toFixed(1)} held, ${grown.resident.toFixed(1)} resident; ${served} good calls meanwhile`)
    // To keep as little as 50 bytes of each would be 4 MiB. What is resident includes what is yet to be cleared away.
    expect(grown.held).toBeLessThan(3)
    expect(grown.resident).toBeLessThan(32)
  })
})
