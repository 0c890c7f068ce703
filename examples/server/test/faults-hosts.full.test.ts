import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { RunRecord } from "../src/cli/answers.ts"
import { expectSoundAftermath } from "./support/aftermath.ts"
import { eventually } from "./support/eventually.ts"
import { ask } from "./support/postgres-server.ts"
import { hasEnded, makeSite, type Site } from "./support/site.ts"

/** A host is offline when it was not heard of for 30 s. */
const offlineMillis = 30_000

describePostgres("two servers on one database, each with its own data folder and repository", () => {
  test("do each their own runs, and one that is killed only holds back its own", async () => {
    const databaseUrl = await Effect.runPromise(freshDatabase)
    const [near, far] = await Promise.all([makeSite({ databaseUrl }), makeSite({ databaseUrl })])
    onTestFinished(async () => {
      await near.close()
      await far.close()
    })
    await near.start()
    const nearHook = await near.furnish({ name: "near" })
    await far.start()
    const machineOf = (site: Site) =>
      (JSON.parse(readFileSync(join(site.scratch.home, "host.json"), "utf8")) as { machineId: string }).machineId
    const [farHost] = await ask<{ id: string }>(databaseUrl, `SELECT id FROM hosts WHERE machine_id = '${machineOf(far)}'`)
    const { automationId, token } = await far.furnish({ user: false, name: "far", hostId: farHost!.id })
    // A webhook may reach any server: the run goes where its project is.
    const farHook = { token, url: `${near.base}/api/automations/webhook/${automationId}` }
    const nearRuns = [await near.client.send(nearHook, {}), await near.client.send(nearHook, {})]
    const farRuns = await Promise.all([1, 2, 3, 4, 5].map(() => far.client.send(farHook, { hold: "open" })))
    await eventually("three are at work on the far host", () => far.lines().filter(({ what }) => what === "prompt").length === 3, { otherwise: far.output })
    const runOf = async (runId: string): Promise<RunRecord> => (await near.call("runs_get", { runId })).run
    for (const { runId } of nearRuns) await eventually("the near runs end", async () => hasEnded(await runOf(runId!)))
    expect(new Set(near.lines().map(({ run }) => run))).toEqual(new Set(nearRuns.map(({ runId }) => runId)))

    await far.kill()
    const killedAt = Date.now()
    await eventually("all of its runs wait for the host", async () => {
      const waiting = (await near.allRuns()).filter(({ automationId: of }) => of === automationId)
      return waiting.length === 5 && waiting.every(({ status, waitingFor }) => status === "queued" && waitingFor === "host_offline")
    }, { forMillis: offlineMillis + 15_000, everyMillis: 250, otherwise: near.output })
    expect(Date.now() - killedAt).toBeGreaterThan(offlineMillis - 5_000)
    const more = await near.client.send(nearHook, {})
    await eventually("the near host goes on", async () => hasEnded(await runOf(more.runId!)))
    expect(await runOf(more.runId!)).toMatchObject({ status: "succeeded", attempt: 1 })

    far.open("open")
    await far.start()
    await expectSoundAftermath(far, { automationId })
    await expectSoundAftermath(near, { automationId: nearHook.automationId })
    for (const { runId } of farRuns) expect(await runOf(runId!)).toMatchObject({ status: "succeeded" })
    expect(new Set(far.lines().map(({ run }) => run))).toEqual(new Set(farRuns.map(({ runId }) => runId)))
  })
})
