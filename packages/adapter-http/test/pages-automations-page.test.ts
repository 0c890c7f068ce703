import { cancelRun, getAutomation, pauseAutomation } from "@coppice/core"
import { WebhookRefusalStore } from "@coppice/core/ports"
import { verifies } from "@coppice/testkit/conformance"
import { DateTime, Effect } from "effect"
import { expect, it } from "vitest"
import { makePlace } from "./support/automation-world.ts"
import { describeMatrix } from "./support/matrix.ts"
import { post } from "./support/webhook-request.ts"

const tokenIn = (html: string): string | undefined => /coppice_wh_[A-Za-z0-9]+/.exec(html)?.[0]

const forms = ["pause", "resume", "run", "token", "delete"]

describeMatrix("the page of an automation", (context) => {
  it("pauses and resumes", async () => {
    const { as, automate, page, send } = await makePlace(context())
    const { id } = await automate()
    const home = `/automations/${id}`
    expect((await send(home, `${home}/pause`)).location).toBe(`${home}?notice=paused`)
    expect((await as(getAutomation(id))).status).toBe("paused")
    const paused = (await page(`${home}?notice=paused`)).html
    expect(paused).toContain("The automation is paused.")
    expect(paused).not.toContain(`action="${home}/run"`)
    expect((await send(home, `${home}/resume`)).location).toBe(`${home}?notice=resumed`)
    expect((await as(getAutomation(id))).status).toBe("active")
  })

  it("starts a run with and without JSON, and shows the run", async () => {
    const { automate, database, page, send } = await makePlace(context())
    const { id } = await automate()
    const home = `/automations/${id}`
    const payloads = [{}, { payload: "[1, 2]" }]
    for (const fields of payloads) {
      const { location, status } = await send(home, `${home}/run`, fields)
      expect(status).toBe(303)
      expect(location).toMatch(new RegExp(`^${home}/runs/[0-9a-f-]{36}\\?notice=started$`))
      expect((await page(location!)).html).toContain("A new run was started.")
    }
    const kept = [...database.runs.values()].filter(({ run }) => run.automationId === id)
    expect(kept.map(({ payload }) => Buffer.from(payload!).toString())).toEqual(["{}", "[1,2]"])
  })

  it("keeps JSON that is none, and says what is wrong", async () => {
    const { automate, send } = await makePlace(context())
    const home = `/automations/${(await automate()).id}`
    for (const payload of ["{\"a\":", "12"]) {
      const { html, status } = await send(home, `${home}/run`, { payload })
      expect(status).toBe(400)
      expect(html).toContain("id=\"payload-fault\"")
      expect(html).toContain(`\n${payload.replaceAll("\"", "&quot;")}</textarea>`)
    }
  })

  it("says that a paused automation starts nothing, to a page that was older", async () => {
    const { as, automate, browser, database } = await makePlace(context())
    const { id } = await automate()
    const home = `/automations/${id}`
    const form = browser.hidden(await (await browser.get(home)).text(), `${home}/run`)
    await as(pauseAutomation(id))
    const response = await browser.post(`${home}/run`, form)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain("role=\"alert\"")
    expect([...database.runs.values()].filter(({ run }) => run.automationId === id)).toEqual([])
  })

  it(verifies("auth.webhook-token-in-app", "webhook.token-shown-once", "webhook.old-token-stops-at-once", "webhook.regenerate-replaces-token")
    + "generates a token, shows it once, and replaces it", async () => {
    const { automate, base, fetch, page, send } = await makePlace(context())
    const { id } = await automate()
    const home = `/automations/${id}`
    const webhook = `/api/automations/webhook/${id}`
    const before = await page(home)
    expect(before.html).toContain(`value="${base}${webhook}"`)
    expect(before.html).toContain("Generate token")
    const first = await send(home, `${home}/token`)
    expect(first.status).toBe(200)
    const token = tokenIn(first.html)!
    expect(first.html).toContain(`curl -X POST '${base}${webhook}'`)
    expect((await fetch(webhook, post(token, "{}"))).status).toBe(200)
    const after = await page(home)
    expect(tokenIn(after.html)).toBeUndefined()
    expect(after.html).toMatch(/generated <time [^>]*>just now/)
    expect(after.html).toContain("stops working at once")
    for (const path of ["/automations", `${home}/edit`, `${home}/token`]) expect((await page(path)).html).not.toContain(token)
    const second = tokenIn((await send(home, `${home}/token`)).html)!
    expect(second).not.toBe(token)
    expect((await fetch(webhook, post(token, "{}"))).status).toBe(401)
    expect((await fetch(webhook, post(second, "{}"))).status).toBe(200)
  })

  it("takes no token away when the form that made it is sent again", async () => {
    const { ahead, automate, browser, fetch, page } = await makePlace(context())
    const { id } = await automate()
    const home = `/automations/${id}`
    const form = browser.hidden((await page(home)).html, `${home}/token`)
    const token = tokenIn(await (await browser.post(`${home}/token`, form)).text())!
    ahead.millis += 5
    const again = await browser.post(`${home}/token`, form)
    const html = await again.text()
    expect([again.status, tokenIn(html)]).toEqual([409, undefined])
    expect(html).toContain("Nothing was done")
    expect((await fetch(`/api/automations/webhook/${id}`, post(token, "{}"))).status).toBe(200)
    expect((await page(`${home}/token`)).location).toBe(home)
  })

  it("shows runs with their places, and the refusals of deliveries", async () => {
    const { as, automate, fetch, page, run, send } = await makePlace(context())
    const automation = await automate()
    const home = `/automations/${automation.id}`
    const token = tokenIn((await send(home, `${home}/token`)).html)!
    const webhook = `/api/automations/webhook/${automation.id}`
    await fetch(webhook, post(token, "{}"))
    await as(cancelRun((await run(automation)).id))
    await as(pauseAutomation(automation.id))
    for (let times = 0; times < 2; times++) await fetch(webhook, post(token, "{}"))
    await fetch(webhook, post(token, "nope"))
    const text = (await page(home)).html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")
    expect(text).toContain("Queued just now Webhook – Number 1 in the queue: starts as soon as a worker takes it up")
    expect(text).toContain("Cancelled just now By hand –")
    expect(text).toContain("The automation is paused. 2 just now")
    expect(text).toContain("The body is not valid JSON. 1 just now")
  })

  it("shows the newest twenty runs, and leads to older ones", async () => {
    const { automate, page, run } = await makePlace(context())
    const automation = await automate()
    const first = await run(automation)
    for (let number = 0; number < 20; number++) await run(automation)
    const { html } = await page(`/automations/${automation.id}`)
    expect(html.split("/runs/").length - 1).toBe(20)
    const older = /href="([^"]*cursor=[^"]*)#runs"/.exec(html)![1]!
    expect((await page(older)).html).toContain(first.id)
  })

  it("asks before it deletes, refuses while a run is under way, and says why", async () => {
    const { as, automate, database, page, run, send } = await makePlace(context())
    const automation = await automate()
    const home = `/automations/${automation.id}`
    const { id } = await run(automation)
    expect((await page(`${home}/delete`)).html).toContain("This cannot be undone.")
    const refused = await send(`${home}/delete`, `${home}/delete`)
    expect(refused.status).toBe(409)
    expect(refused.html).toContain("The automation still has runs that have not ended. Cancel its runs, or wait for them to end.")
    await as(cancelRun(id))
    const deleted = await send(`${home}/delete`, `${home}/delete`)
    expect([deleted.status, deleted.location]).toEqual([303, "/automations?notice=deleted"])
    expect(database.automations.has(automation.id)).toBe(false)
    expect((await page("/automations?notice=deleted")).html).toContain("The automation is deleted.")
  })

  it("refuses every form without its token, from another site, and of another form", async () => {
    const { automate, browser, database, page } = await makePlace(context())
    const { id } = await automate()
    const home = `/automations/${id}`
    const before = database.automations.get(id)
    const other = browser.hidden((await page(home)).html, `${home}/pause`)
    for (const form of forms) {
      const path = `${home}/${form}`
      const statuses = [(await browser.post(path, {})).status]
      if (form !== "pause") statuses.push((await browser.post(path, other)).status)
      statuses.push((await browser.post(path, other, { origin: "https://evil.example" })).status)
      expect(new Set(statuses)).toEqual(new Set([403]))
    }
    expect(database.automations.get(id)).toEqual(before)
    expect([...database.runs.values()].some(({ run }) => run.automationId === id)).toBe(false)
  })

  it("shows and changes nothing of another organization's", async () => {
    const theirs = await (await makePlace(context())).automate()
    const { browser, database, automate, page } = await makePlace(context())
    const mine = await automate()
    const before = database.automations.get(theirs.id)
    for (const end of ["", "/edit", "/delete", "/token", "/run"]) {
      for (const id of [theirs.id, "0199a000-0000-7000-8000-000000000001", "nonsense"]) {
        const { html, status } = await page(`/automations/${id}${end}`)
        expect(status).toBe(404)
        expect(html).toContain("Nothing here")
      }
    }
    const html = (await page(`/automations/${mine.id}`)).html
    for (const form of [...forms, "edit"]) {
      // The token of one's own form is of no use at another address.
      const fields = form === "edit" || form === "resume" || form === "delete" ? {} : browser.hidden(html, `/automations/${mine.id}/${form}`)
      expect((await browser.post(`/automations/${theirs.id}/${form}`, fields)).status).toBe(403)
    }
    expect(database.automations.get(theirs.id)).toEqual(before)
  })

  it("lets its script ask for the page again, and for nothing elsewhere", async () => {
    const { automate, browser } = await makePlace(context())
    const { id } = await automate()
    const policyOf = async (path: string) => (await browser.get(path)).headers.get("content-security-policy")
    expect(await policyOf(`/automations/${id}`)).toContain("script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';")
    expect(await policyOf("/automations")).not.toContain("connect-src")
  })

  it("shows what is hostile as text", async () => {
    const { as, automate, page } = await makePlace(context())
    const { id } = await automate({ name: "a\u202eb<script>", prompt: "<script>alert(1)</script>\u001b[31mred\u001b]0;title\u0007\u202egnp.exe" })
    const at = DateTime.makeUnsafe(Date.now())
    await as(Effect.flatMap(WebhookRefusalStore, (store) =>
      store.note({ automationId: id, code: "INVALID_JSON", message: "<b onload=x>\u001b[2J\u202e" }, at)))
    const { html } = await page(`/automations/${id}`)
    expect(html).not.toMatch(/<script>|<b onload|\u001b|\u202e|\u0007/)
    expect(html).toContain("&lt;script>alert(1)&lt;/script>red⟨U+202E⟩gnp.exe")
    expect(html).toContain("<h1>a⟨U+202E⟩b&lt;script></h1>")
    expect((await page("/automations")).html).not.toMatch(/<script>|\u202e/)
    expect((await page(`/automations/${id}/delete`)).html).not.toMatch(/<script>|\u202e/)
  })
})
