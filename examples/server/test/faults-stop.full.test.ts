import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { expectSoundAftermath } from "./support/aftermath.ts"
import { eventually } from "./support/eventually.ts"
import { ask } from "./support/postgres-server.ts"
import { makeSite, type Site } from "./support/site.ts"

// Each starts a server or two: seconds on a machine that has other things to do.
vi.setConfig({ testTimeout: 60_000 })

describePostgres("a server that ends, and another on its data folder", () => {
  let site: Site
  let databaseUrl: string
  let hook: Awaited<ReturnType<Site["furnish"]>>

  beforeAll(async () => {
    databaseUrl = await Effect.runPromise(freshDatabase)
    site = await makeSite({ databaseUrl, runs: { leaseSeconds: 6, terminateSeconds: 2 } })
    await site.start()
    hook = await site.furnish()
  })
  afterAll(() => site?.close())

  test("SIGTERM ends the agents, puts their runs back uncounted, and exits with 0; the next start does them", async () => {
    const sent = await Promise.all([0, 1, 2, 3].map(() => site.client.send(hook, { hold: "open" })))
    await eventually("three are at work", () => site.lines().filter(({ what }) => what === "prompt").length === 3, { otherwise: site.output })
    const began = performance.now()
    site.server().process.kill("SIGTERM")
    expect(await site.ended()).toBe(0)
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(site.watch.scan()).toEqual([])
    const stored = await ask<{ status: string; attempt: number }>(databaseUrl, "SELECT status, attempt FROM runs")
    expect(stored).toEqual(sent.map(() => ({ status: "queued", attempt: 0 })))
    expect(await ask(databaseUrl, "SELECT id FROM agent_sessions WHERE status IN ('starting', 'running')")).toEqual([])
    site.open("open")
    await site.start()
    const runs = await expectSoundAftermath(site)
    expect(runs.map(({ attempt, status }) => ({ attempt, status }))).toEqual(sent.map(() => ({ attempt: 1, status: "succeeded" })))
    expect(site.lines().filter(({ what }) => what === "start").length).toBe(7)
  })

  test("a second server is refused while the first lives, and starts once that was killed", async () => {
    const first = site.server()
    const second = site.launch()
    await expect(second.ready).rejects.toThrow(`is in use by process ${first.process.pid}`)
    expect(await second.ended).toBe(1)
    expect((await fetch(`${site.base}/readyz`)).status).toBe(200)
    first.process.kill("SIGKILL")
    await first.ended
    await site.start()
    expect((await site.client.send(hook, {})).status).toBe(200)
    await expectSoundAftermath(site)
  })
})
