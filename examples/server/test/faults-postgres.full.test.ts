import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { afterEach, beforeEach, expect, test } from "vitest"
import { expectSoundAftermath } from "./support/aftermath.ts"
import { eventually } from "./support/eventually.ts"
import { ask, postgresForTest } from "./support/postgres-server.ts"
import { makeSite, type Site, type SiteOptions } from "./support/site.ts"
import { streamWebhooks } from "./support/webhook-stream.ts"

describePostgres("while PostgreSQL is killed and comes back", () => {
  let postgres: Awaited<ReturnType<typeof postgresForTest>>
  let site: Site

  beforeEach(async () => {
    postgres = await postgresForTest()
  })
  afterEach(async () => {
    await site?.close()
    await postgres?.close()
  })

  const begin = async (options: SiteOptions) => {
    site = await makeSite({ ...options, databaseUrl: postgres.databaseUrl })
    await site.start()
    return [await site.furnish(), await site.furnish({ user: false, name: "more" })] as const
  }

  const readiness = () => fetch(`${site.base}/readyz`).then(({ status }) => status)

  /** No session and no workspace is left in between, although nobody could write down how it ended. */
  const expectNothingInBetween = async () => {
    const sessions = "SELECT status FROM agent_sessions WHERE status NOT IN ('completed', 'failed', 'cancelled')"
    expect(await ask(postgres.databaseUrl, sessions)).toEqual([])
    expect(await ask(postgres.databaseUrl, "SELECT status FROM workspaces WHERE status IN ('creating', 'deleting')")).toEqual([])
  }

  test("for less than a lease: webhooks get 503 meanwhile, and runs go on", async () => {
    const hooks = await begin({ runs: { leaseSeconds: 10, terminateSeconds: 1 }, maxConcurrentRuns: 5 })
    const held = await Promise.all([1, 2, 3].map(() => site.client.send(hooks[0], { hold: "open" })))
    await site.atWork(held.map(({ n }) => n))
    const stream = streamWebhooks(site, hooks, { everyMillis: 100 })
    const { deliveries } = site.client
    const answeredSince = (at: number, status: number) =>
      deliveries.filter((delivery) => delivery.sentAt > at && delivery.status === status).length
    await eventually("some are accepted", () => answeredSince(0, 200) > 10)
    const killedAt = Date.now()
    await postgres.kill()
    await eventually("it is not ready", async () => await readiness() === 503, { otherwise: site.output })
    await eventually("some are refused", () => answeredSince(killedAt, 503) > 10, { otherwise: site.output })
    expect((await fetch(`${site.base}/healthz`)).status).toBe(200)
    const downUntil = Date.now()
    await postgres.restart()
    await eventually("it is ready", async () => await readiness() === 200, { otherwise: site.output })
    await eventually("they are accepted again", () => answeredSince(downUntil, 200) > 10, { otherwise: site.output })
    await stream.stop()
    expect(downUntil - killedAt).toBeLessThan(7_000)
    site.open("open")
    const runs = await expectSoundAftermath(site, { forMillis: 60_000 })
    for (const { runId } of held) expect(runs.find(({ id }) => id === runId)).toMatchObject({ status: "succeeded", attempt: 1 })
    for (const { retryAfter, status } of deliveries) {
      expect([200, 503], site.output()).toContain(status)
      if (status === 503) expect(Number(retryAfter)).toBeGreaterThan(0)
    }
    await expectNothingInBetween()
    const count = (status: number) => deliveries.filter((delivery) => delivery.status === status).length
    console.log(`away for ${downUntil - killedAt} ms: ${count(200)} answered with 200, ${count(503)} with 503; ${runs.length} runs`)
  })

  test("for longer than a lease: agents end before it does, and their runs get another attempt", async () => {
    const leaseMillis = 6000
    const [hook] = await begin({ runs: { leaseSeconds: leaseMillis / 1000, terminateSeconds: 1 } })
    const held = await Promise.all([1, 2, 3].map(() => site.client.send(hook, { hold: "open" })))
    await site.atWork(held.map(({ n }) => n))
    const killedAt = Date.now()
    await postgres.kill()
    await eventually("the agents end", () => site.watch.scan().length === 0, { otherwise: site.output })
    for (const { session } of site.lines()) expect(site.watch.lastSeen(session)! - killedAt).toBeLessThan(leaseMillis)
    await eventually("the leases are over", () => Date.now() > killedAt + 2 * leaseMillis)
    await postgres.restart()
    site.open("open")
    const runs = await expectSoundAftermath(site)
    for (const { runId } of held) expect(runs.find(({ id }) => id === runId)).toMatchObject({ status: "succeeded", attempt: 2 })
    await expectNothingInBetween()
  })

  test("for longer than a lease while worktrees are set up: none is left half made", async () => {
    const leaseMillis = 6000
    const [hook] = await begin({ runs: { leaseSeconds: leaseMillis / 1000, terminateSeconds: 1 }, setup: true })
    await Promise.all([1, 2].map(() => site.client.send(hook, {})))
    await eventually("two set-ups are under way", () => site.setupStarts() === 2, { otherwise: site.output })
    const killedAt = Date.now()
    await postgres.kill()
    await eventually("they end", () => site.watch.scan().length === 0, { otherwise: site.output })
    expect(Date.now() - killedAt).toBeLessThan(leaseMillis)
    await eventually("the leases are over", () => Date.now() > killedAt + 2 * leaseMillis)
    await postgres.restart()
    site.open("setup")
    await expectSoundAftermath(site)
    await expectNothingInBetween()
  })
})
