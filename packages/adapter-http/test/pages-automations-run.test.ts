import { cancelRun, type NewRunEvent, type Run } from "@coppice/core"
import { RunEventStore, RunQueue } from "@coppice/core/ports"
import { DateTime, Effect } from "effect"
import { expect, it } from "vitest"
import { makePlace, type Place } from "./support/automation-world.ts"
import { describeMatrix } from "./support/matrix.ts"

const at = DateTime.makeUnsafe("2026-01-02T03:04:05.678Z")

const output = (text: string): NewRunEvent => ({ type: "output", stream: "stdout", at, attempt: 1, text })

const log = ({ as, organizationId }: Place, run: Run, events: ReadonlyArray<NewRunEvent>) =>
  as(Effect.flatMap(RunEventStore, (store) => store.append(organizationId, run.id, events, 4 * 1024 * 1024)))

/** Takes the run up, as a worker does, and has it end so. */
const takeUp = (place: Place, run: Run) =>
  place.as(Effect.gen(function*() {
    const queue = yield* RunQueue
    const options = { leaseMillis: 60_000, maxConcurrentRuns: 1000 }
    while (true) {
      const claim = yield* queue.claim(place.host.machineId, options)
      if (claim === undefined) return yield* Effect.die(new Error("The run was not claimed"))
      if (claim.run.id === run.id) return claim
    }
  }))

const pathOf = ({ automationId, id }: Run): string => `/automations/${automationId}/runs/${id}`

describeMatrix("the page of a run", (context) => {
  it("shows a run that waits, and cancels it", async () => {
    const { automate, page, run, runNow, send } = await makePlace(context())
    const queued = await run(await automate(), { hello: "world" })
    const path = pathOf(queued)
    const { html } = await page(path)
    expect(html).toContain("in the queue: starts as soon as a worker takes it up")
    expect(html).toContain("{&quot;hello&quot;:&quot;world&quot;}")
    expect(html).toMatch(/data-refresh="\d"/)
    expect(html).toContain(`<a class="button plain" href="${path}">Refresh</a>`)
    expect((await send(path, `${path}/cancel`)).location).toBe(`${path}?notice=cancelled`)
    expect((await runNow(queued.id)).status).toBe("cancelled")
    const after = (await page(path)).html
    expect(after).not.toContain("data-refresh=")
    expect(after).not.toContain(`${path}/cancel`)
  })

  it("runs again with the same payload, once it has ended", async () => {
    const { as, automate, browser, database, page, run, send } = await makePlace(context())
    const first = await run(await automate(), [1])
    const path = pathOf(first)
    expect((await page(path)).html).not.toContain(`${path}/retry`)
    await as(cancelRun(first.id))
    const { location } = await send(path, `${path}/retry`)
    const again = /runs\/([0-9a-f-]{36})\?notice=again$/.exec(location!)![1]!
    expect(database.runs.get(again as Run["id"])).toMatchObject({ run: { retryOf: first.id }, payload: new TextEncoder().encode("[1]") })
    expect((await page(location!)).html).toContain(`href="${path}"`)
    const late = await browser.post(`${path}/cancel`, {})
    expect(late.status).toBe(403)
  })

  it("says why a run cannot be run again", async () => {
    const { as, automate, browser, database, run } = await makePlace(context())
    const ended = await run(await automate())
    await as(cancelRun(ended.id))
    const path = pathOf(ended)
    const form = browser.hidden(await (await browser.get(path)).text(), `${path}/retry`)
    const { payload: _, ...row } = database.runs.get(ended.id)!
    database.runs.set(ended.id, row)
    const response = await browser.post(`${path}/retry`, form)
    expect(response.status).toBe(409)
    expect(await response.text()).toContain("The payload of this run is not kept any more.")
    expect(await (await browser.get(path)).text()).toContain("It is not kept any more.")
  })

  it("shows how a run went: its workspace, exit code, failure in words and steps", async () => {
    const place = await makePlace(context())
    const { as, automate, page, project, run } = place
    const begun = await run(await automate())
    const { lease } = await takeUp(place, begun)
    const { id: workspaceId } = await place.workspaceOf(project, "\u202enightly")
    await log(place, begun, [
      { type: "status", at, attempt: 1, status: "preparing" },
      { type: "progress", at, attempt: 1, text: "checked out <main>" },
      { type: "status", at, attempt: 1, status: "failed", text: "The agent ended with code 3." }
    ])
    const update = (from: Run["status"], to: Run["status"], patch: object) =>
      as(Effect.flatMap(RunQueue, (queue) => queue.update(lease, from, to, patch)))
    await update("preparing", "running", { workspaceId })
    expect((await page(pathOf(begun))).html).toContain(`${pathOf(begun)}/cancel`)
    await update("running", "failed", { exitCode: 3, failure: { reason: "agent_exit", message: "It ended with code 3." } })
    const { html } = await page(pathOf(begun))
    const text = html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")
    expect(text).toContain("Failed The agent failed: It ended with code 3.")
    expect(text).toContain("Workspace ⟨U+202E⟩nightly Branch coppice/⟨U+202E⟩nightly")
    expect(text).toContain("Exit code 3")
    expect(text).toContain("checked out &lt;main>")
    expect(text).toContain("Failed : The agent ended with code 3.")
    expect((await page(`/automations/${begun.automationId}`)).html).toContain("The agent failed: It ended with code 3.")
  })

  it("shows the end of the output alone, as text", async () => {
    const place = await makePlace(context())
    const begun = await place.run(await place.automate())
    const lines = Array.from({ length: 30_000 }, (_, number) => `line ${number}\n`)
    await log(place, begun, [
      output(lines.slice(0, 20_000).join("")),
      output(lines.slice(20_000).join("")),
      { type: "output_dropped", at, attempt: 1, bytes: 77 },
      output("\u001b[31m<script>alert(1)</script>\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u202egnp.exe\u0000\r\n"),
      output("\u001b]0;never ends"),
      output("\nthe last line \ud800")
    ])
    const { html } = await place.page(pathOf(begun))
    const shown = /<pre id="output"[^>]*>(.*?)<\/pre>/s.exec(html)![1]!
    expect(shown).toContain("[77 bytes came too fast to be kept]")
    expect(shown).toContain("&lt;script>alert(1)&lt;/script> link ⟨U+202E⟩gnp.exe\n\nthe last line �")
    expect(shown).toContain("line 29999")
    expect(shown).not.toContain("line 1000\n")
    expect(shown.startsWith("line ")).toBe(true)
    expect(shown.length).toBeLessThan(70_000)
    expect(html).not.toMatch(/\u001b|\u202e|\u0007|\u0000|<script>/)
    expect(html).toContain(`runs logs ${begun.id}`)
  })

  it("shows the beginning of a large payload, as text", async () => {
    const place = await makePlace(context())
    const hostile = { html: "</pre><script>alert(1)</script>", turned: "\u202egnp.exe", fill: "é".repeat(100_000) }
    const begun = await place.run(await place.automate(), hostile)
    const { html } = await place.page(pathOf(begun))
    expect(html).toContain("&lt;/pre>&lt;script>alert(1)&lt;/script>")
    expect(html).not.toMatch(/<script>|\u202e|�/)
    expect(html).toContain("The first 64 KiB of 200")
    expect(html.length).toBeLessThan(60_000)
  })

  it("shows no run under another automation, or of another organization", async () => {
    const theirs = await makePlace(context())
    const foreign = await theirs.run(await theirs.automate())
    const { automate, browser, page, run, runNow } = await makePlace(context())
    const [one, other] = [await automate({ name: "One" }), await automate({ name: "Other" })]
    const mine = await run(one)
    const paths = [
      pathOf(foreign),
      `/automations/${one.id}/runs/${foreign.id}`,
      `/automations/${other.id}/runs/${mine.id}`,
      `/automations/${one.id}/runs/nonsense`
    ]
    for (const path of paths) {
      expect((await page(path)).status).toBe(404)
      expect((await page(`${path}/cancel`)).status).toBe(404)
      expect((await browser.post(`${path}/cancel`, {})).status).toBe(403)
    }
    expect((await runNow(mine.id)).status).toBe("queued")
    expect((await theirs.runNow(foreign.id)).status).toBe("queued")
  })
})
