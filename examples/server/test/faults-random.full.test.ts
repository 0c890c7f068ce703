import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { expectSoundAftermath } from "./support/aftermath.ts"
import { makeSite } from "./support/site.ts"
import { randomOf, streamWebhooks } from "./support/webhook-stream.ts"

const rounds = 5

const killAtRandom = (seed: number, database: () => Promise<{ readonly databaseUrl?: string }>) =>
  test(`at random times while webhooks come in (seed ${seed})`, async () => {
    const random = randomOf(seed)
    const site = await makeSite(await database())
    onTestFinished(site.close)
    await site.start()
    const hooks = [await site.furnish(), await site.furnish({ user: false, name: "more" })]
    let listens = true
    const payload = () => listens ? { millis: Math.floor(random() * 400) } : undefined
    const stream = streamWebhooks(site, hooks, { everyMillis: 180, payload })
    for (let round = 0; round < rounds; round++) {
      // Some of the times fall into a start, and what it settles.
      await new Promise((resolve) => setTimeout(resolve, 200 + random() * 2800))
      const { ended, process: child } = site.server()
      child.kill("SIGKILL")
      await ended
      listens = false
      const next = site.launch()
      if (random() < 0.7) await next.ready.then(() => listens = true)
    }
    await stream.stop()
    await site.server().ready
    const runs = await expectSoundAftermath(site, { forMillis: 90_000 })
    const { deliveries } = site.client
    const count = (status: number | undefined) => deliveries.filter((delivery) => delivery.status === status).length
    expect(count(200) + count(undefined) + count(503)).toBe(deliveries.length)
    expect(count(200)).toBeGreaterThan(rounds)
    console.log(
      `seed ${seed}: ${deliveries.length} requests, ${count(200)} answered with 200, ${count(503)} with 503, ${count(undefined)} with nothing;`,
      `${runs.length} runs, ${runs.filter(({ attempt }) => attempt > 1).length} in a second attempt, ${runs.filter(({ status }) => status === "failed").length} host_lost`
    )
  })

describePostgres("a server on PostgreSQL that is killed", () => {
  killAtRandom(20_261, async () => ({ databaseUrl: await Effect.runPromise(freshDatabase) }))
})

describe("a server on the embedded database that is killed", () => {
  killAtRandom(20_262, async () => ({}))
})
