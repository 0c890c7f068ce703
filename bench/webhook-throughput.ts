import { postgresLayer, migrate, storeLayer } from "@coppice/adapter-store"
import { foundOrganization, type MachineFacts, MachineId, newId, registerHost } from "@coppice/core"
import type { PostgresServer } from "@coppice/testkit/postgres"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { addressIn, type Child, startChild } from "./child.ts"
import { bodyOf, median, postWebhooks } from "./load.ts"
import { seedAutomations, seedProject } from "./seed.ts"
import type { Result } from "./result.ts"

const automations = 50
const connections = 32
const bodyBytes = 1024
const rounds = 5
const secondsPerRound = 4

const seed = (url: string) =>
  Effect.gen(function*() {
    yield* migrate
    const { organization, user } = yield* foundOrganization({ organizationName: "Bench", email: "bench@example.com", name: "Bench" })
    const machineId = yield* newId(MachineId)
    const facts: MachineFacts = { machineId, name: "bench", platform: "bench", agents: [], maxConcurrentRuns: 1 }
    const host = yield* registerHost(organization.id, facts)
    return yield* seedAutomations(yield* seedProject(organization, host, "/nowhere"), user, automations)
  }).pipe(
    Effect.provide(storeLayer.pipe(Layer.provideMerge(postgresLayer({ url: Redacted.make(url) })))),
    Effect.provide(SecureRandom.layerWebCrypto),
    Effect.scoped,
    Effect.runPromise
  )

/** (a) Accepted webhooks per second, against the same h3 server doing one bare insert of the same bytes. */
export const webhookThroughput = async (postgres: PostgresServer): Promise<Result> => {
  const databases = await Effect.runPromise(Effect.all([
    postgres.createDatabase("throughput_coppice"),
    postgres.createDatabase("throughput_bare")
  ]))
  const targets = await seed(databases[0])
  const file = (name: string) => new URL(name, import.meta.url).pathname
  const children: Array<Child> = []
  try {
    for (const [index, name] of ["webhook-server.ts", "bare-insert-server.ts"].entries()) {
      children.push(await startChild(file(name), { BENCH_DATABASE_URL: databases[index]! }, addressIn))
    }
    const [coppice, bare] = children as [Child, Child]
    const body = bodyOf(bodyBytes)
    const measure = (server: Child) => postWebhooks(server.url, targets, { connections, body, seconds: secondsPerRound })
    // A round that counts for nothing, so that both are warm.
    await measure(coppice)
    await measure(bare)
    const results = { coppice: [] as Array<number>, bare: [] as Array<number> }
    for (let round = 0; round < rounds; round++) {
      results.bare.push((await measure(bare)).requestsPerSecond)
      results.coppice.push((await measure(coppice)).requestsPerSecond)
    }
    const ratios = results.coppice.map((value, round) => value / results.bare[round]!)
    return {
      name: "(a) accepted webhooks per second against a bare insert",
      value: median(ratios),
      reach: "at least 0.7",
      met: median(ratios) >= 0.7,
      details: {
        coppicePerSecond: Math.round(median(results.coppice)),
        barePerSecond: Math.round(median(results.bare)),
        ratioOfEachRound: ratios.map((ratio) => ratio.toFixed(2)).join(" ")
      },
      how: `${bodyBytes} B bodies over ${automations} automations, ${connections} connections, ${rounds} rounds of ` +
        `${secondsPerRound} s each in turn, median of the rounds' ratios; limits lifted by wrapping the WebhookInbox port; ` +
        "PostgreSQL with its default durability; the load generator and the database on the same cores"
    }
  } finally {
    for (const child of children) await child.stop()
  }
}
