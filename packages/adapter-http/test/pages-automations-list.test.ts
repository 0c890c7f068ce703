import { cancelRun, pauseAutomation } from "@coppice/core"
import { expect, it } from "vitest"
import { makePlace } from "./support/automation-world.ts"
import { describeMatrix } from "./support/matrix.ts"

describeMatrix("the list of automations", (context) => {
  it("sends who is not signed in to sign in, and back", async () => {
    const response = await context().fetch("/automations?status=paused", { redirect: "manual" })
    expect([response.status, response.headers.get("location")])
      .toEqual([303, `/login?return=${encodeURIComponent("/automations?status=paused")}`])
  })

  it("says how to add a project while there is none", async () => {
    const { page } = await makePlace(context(), { project: false })
    for (const path of ["/automations", "/automations/new"]) {
      const { html, status } = await page(path)
      expect(status).toBe(200)
      expect(html).toContain("npm run coppice -- projects add PATH")
      expect(html).not.toContain("name=\"prompt\"")
    }
  })

  it("says what an automation is while there is none", async () => {
    const { html } = await (await makePlace(context())).page("/automations")
    expect(html).toContain("There is no automation yet.")
    expect(html).toContain("href=\"/automations/new\"")
  })

  it("shows the state, project, agent, last run and whether there is a token, of its own organization alone", async () => {
    const other = await makePlace(context())
    await other.automate({ name: "Theirs" })
    const { as, automate, page, project, run, send } = await makePlace(context())
    const idle = await automate({ name: "Idle" })
    const busy = await automate({ name: "Busy" })
    await run(busy)
    await as(cancelRun((await run(busy)).id))
    await as(pauseAutomation(idle.id))
    await send(`/automations/${busy.id}`, `/automations/${busy.id}/token`)
    const { html } = await page("/automations")
    const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([, row]) => row!.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim())
    expect(rows).toEqual([
      `Busy Active ${project.name} reviewer Has a token Cancelled just now`,
      `Idle Paused ${project.name} reviewer No token None yet`
    ])
    expect(html).not.toContain("Theirs")
  })

  it("narrows to what is active or paused", async () => {
    const { as, automate, page } = await makePlace(context())
    await automate({ name: "Awake" })
    const before = await page("/automations?status=paused")
    expect(before.html).toContain("No automation is paused.")
    await as(pauseAutomation((await automate({ name: "Asleep" })).id))
    const [active, paused] = [await page("/automations?status=active"), await page("/automations?status=paused")]
    expect([active.html.includes("Awake"), active.html.includes("Asleep")]).toEqual([true, false])
    expect([paused.html.includes("Awake"), paused.html.includes("Asleep")]).toEqual([false, true])
    expect(paused.html).toContain("<a href=\"/automations?status=paused\" aria-current=\"true\">")
  })

  it("goes on to older ones, and takes any cursor", async () => {
    const { automate, page } = await makePlace(context())
    for (let number = 0; number < 26; number++) await automate({ name: `Number ${number}.` })
    const { html } = await page("/automations")
    expect(html).not.toContain("Number 0.")
    const next = /href="(\/automations\?cursor=[^"]*)"/.exec(html)?.[1]
    expect((await page(next!)).html).toContain("Number 0.")
    expect((await page("/automations?cursor=<script>")).status).toBe(200)
  })
})
