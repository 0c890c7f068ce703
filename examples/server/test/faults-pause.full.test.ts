import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { expectSoundAftermath } from "./support/aftermath.ts"
import { eventually } from "./support/eventually.ts"
import { ask } from "./support/postgres-server.ts"
import { makeSite } from "./support/site.ts"

describePostgres("a server that stands still for longer than its leases", () => {
  const begin = async () => {
    const databaseUrl = await Effect.runPromise(freshDatabase)
    // Agents are given time to end, and some of them take it: enough for another attempt to begin beside them.
    const site = await makeSite({ databaseUrl, runs: { leaseSeconds: 6, terminateSeconds: 2 } })
    onTestFinished(site.close)
    await site.start()
    const hook = await site.furnish()
    const leased = `SELECT id FROM runs WHERE lease_expires_at > clock_timestamp()`
    return {
      databaseUrl,
      site,
      hook,
      stopUntilLeasesEnd: async () => {
        site.server().process.kill("SIGSTOP")
        await eventually("the leases end", async () => (await ask(databaseUrl, leased)).length === 0)
      }
    }
  }

  test("ends the agents of the attempts that it has lost, and begins anew", async () => {
    const { hook, site, stopUntilLeasesEnd } = await begin()
    const held = await Promise.all([1, 2, 3].map(() => site.client.send(hook, { hold: "open", stubborn: true })))
    await site.atWork(held.map(({ n }) => n))
    await stopUntilLeasesEnd()
    const before = new Set(site.lines().map(({ session }) => session))
    expect(before.size).toBe(3)
    site.server().process.kill("SIGCONT")
    await eventually("the second attempts are at work", () => new Set(site.lines().map(({ session }) => session)).size === 6, { otherwise: site.output })
    expect(site.watch.scan().filter(({ session }) => before.has(session!))).toEqual([])
    site.open("open")
    const runs = await expectSoundAftermath(site)
    for (const run of runs) expect(run).toMatchObject({ status: "succeeded", attempt: 2 })
  })

  test("does not settle what its agents finished meanwhile", async () => {
    const { hook, site, stopUntilLeasesEnd } = await begin()
    const held = await site.client.send(hook, { hold: "open" })
    await site.atWork([held.n])
    await stopUntilLeasesEnd()
    site.open("open")
    await eventually("the agent ends", () => site.lines().some(({ how }) => how === "done"))
    site.server().process.kill("SIGCONT")
    const [run] = await expectSoundAftermath(site)
    expect(run).toMatchObject({ status: "succeeded", attempt: 2 })
    expect(site.lines().filter(({ how }) => how === "done").length).toBe(2)
  })

  test("loses its runs to the queue when another server notices, and takes them up as new attempts only", async () => {
    const { databaseUrl, hook, site, stopUntilLeasesEnd } = await begin()
    const other = await makeSite({ databaseUrl })
    onTestFinished(other.close)
    await other.start()
    const held = await Promise.all([1, 2].map(() => site.client.send(hook, { hold: "open", stubborn: true })))
    await site.atWork(held.map(({ n }) => n))
    await stopUntilLeasesEnd()
    await eventually("the other server puts the runs back", async () =>
      (await ask<{ status: string }>(databaseUrl, "SELECT status FROM runs")).every(({ status }) => status === "queued"), { otherwise: other.output })
    site.server().process.kill("SIGCONT")
    await eventually("the second attempts are at work", () => new Set(site.lines().map(({ session }) => session)).size === 4, { otherwise: site.output })
    site.open("open")
    const runs = await expectSoundAftermath(site)
    for (const run of runs) expect(run).toMatchObject({ status: "succeeded", attempt: 2 })
    expect(other.lines()).toEqual([])
  })
})
