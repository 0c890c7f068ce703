import { afterAll, beforeAll, expect, test } from "vitest"
import { expectSoundAftermath } from "./aftermath.ts"
import { eventually } from "./eventually.ts"
import { maxAttempts } from "./policy.ts"
import { makeSite, type Site } from "./site.ts"

/**
 * Kills one server again and again, at each of the points; what is started after one test is killed in the next. `most`
 * are the points that a webhook's way has, `all` those between them too.
 */
export const killPoints = (which: "most" | "all", database: () => Promise<{ readonly databaseUrl?: string }>) => {
  const testAll = (name: string, body: () => Promise<void>) => {
    if (which === "all") test(name, body)
  }
  let site: Site
  let hook: { readonly url: string; readonly token: string }

  beforeAll(async () => {
    site = await makeSite({ ...await database(), setup: true })
    await site.start({ failpoints: true })
    hook = await site.furnish()
    site.open("setup")
  })
  afterAll(() => site?.close())

  const send = (count: number, payload: object = {}) =>
    Promise.all(Array.from({ length: count }, () => site.client.send(hook, payload)))

  const again = async () => {
    site.disarm()
    await site.start({ failpoints: true })
    return expectSoundAftermath(site)
  }

  testAll("before the insert: nobody was told of a run that there is not", async () => {
    const before = (await site.settled()).length
    site.arm("before the insert")
    const sent = await send(3)
    expect(await site.ended()).toBe("SIGKILL")
    expect(sent.map(({ status }) => status)).toEqual([undefined, undefined, undefined])
    expect((await again()).length).toBe(before)
  })

  test("after the insert and before the 200: the run is done once, though nobody was told of it", async () => {
    const before = (await site.settled()).length
    site.arm("inserted")
    const sent = await send(3)
    expect(await site.ended()).toBe("SIGKILL")
    expect(sent.map(({ status }) => status)).toEqual([undefined, undefined, undefined])
    const runs = await again()
    expect(runs.length).toBeGreaterThan(before)
    expect(runs.length).toBeLessThanOrEqual(before + 3)
  })

  test("after the claim: another attempt is made at once", async () => {
    site.arm("claimed")
    const [sent] = await send(1)
    expect(await site.ended()).toBe("SIGKILL")
    const runs = await again()
    if (sent!.runId !== undefined) expect(runs.find(({ id }) => id === sent!.runId)).toMatchObject({ status: "succeeded", attempt: 2 })
  })

  testAll("when the workspace is on record and nothing of it is made", async () => {
    site.arm("workspace recorded")
    await send(2)
    expect(await site.ended()).toBe("SIGKILL")
    await again()
  })

  testAll("while worktrees are set up: they are taken down, with what ran in them", async () => {
    site.shut("setup")
    const before = site.setupStarts()
    await send(2)
    await eventually("two set-ups are under way", () => site.setupStarts() === before + 2, { otherwise: site.output })
    await site.kill()
    expect(site.watch.scan().length).toBeGreaterThan(0)
    site.open("setup")
    await again()
  })

  test("between the agent's start and its record: the agent is found and ended", async () => {
    site.arm("agent spawned")
    await send(1)
    expect(await site.ended()).toBe("SIGKILL")
    await eventually("the agent goes on without its server", () => site.watch.scan().some(({ run }) => run !== undefined))
    await again()
  })

  testAll("when the run is known to be running", async () => {
    site.arm("running recorded")
    await send(2)
    expect(await site.ended()).toBe("SIGKILL")
    await again()
  })

  test("while agents run: they are ended before others start", async () => {
    const sent = await send(3, { hold: "later" })
    await site.atWork(sent.map(({ n }) => n))
    await site.kill()
    expect(new Set(site.watch.scan().map(({ run }) => run))).toEqual(new Set(sent.map(({ runId }) => runId)))
    site.open("later")
    const runs = await again()
    for (const { runId } of sent) expect(runs.find(({ id }) => id === runId)).toMatchObject({ status: "succeeded", attempt: 2 })
  })

  test("after the agent's end and before the settle", async () => {
    site.arm("before the settle")
    const [sent] = await send(1)
    expect(await site.ended()).toBe("SIGKILL")
    const runs = await again()
    expect(runs.find(({ id }) => id === sent!.runId)).toMatchObject({ status: "succeeded", attempt: 2 })
  })

  testAll("after the settle: it stays as it was settled", async () => {
    site.arm("settled")
    const [sent] = await send(1)
    expect(await site.ended()).toBe("SIGKILL")
    const runs = await again()
    expect(runs.find(({ id }) => id === sent!.runId)).toMatchObject({ status: "succeeded", attempt: 1 })
  })

  testAll("in every attempt: the run has failed, host_lost", async () => {
    site.shut("never")
    const [sent] = await send(1, { hold: "never" })
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      await eventually(`attempt ${attempt} is at work`, () =>
        site.lines().filter(({ n, what }) => what === "prompt" && n === sent!.n).length === attempt, { otherwise: site.output })
      await site.kill()
      if (attempt < maxAttempts) await site.start()
    }
    const runs = await again()
    expect(runs.find(({ id }) => id === sent!.runId)).toMatchObject({ status: "failed", attempt: 2, failure: { reason: "host_lost" } })
  })
}
