import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import { environmentOf, scratchForTest, serverForTest, typed } from "../service.ts"
import { describeInChromium, newPerson } from "./chromium.ts"

const owner = { email: "ann@example.com", password: "correct horse battery" }

/** Prints what no page may carry out, then works until its file is there. */
const loudAgent = (gate: string): string =>
  `import { existsSync } from "node:fs"
process.stdin.resume()
console.log("\\u001b[31mbegins\\u001b[0m <script>document.title = 'taken'</script> \\u202eback")
const wait = setInterval(() => { if (existsSync(${JSON.stringify(gate)})) { console.log("ends"); process.exit(0) } }, 50)
`

/** A service with a project, and its owner in a browser, who has signed in. */
const site = async (page: Page, { project = true } = {}) => {
  const scratch = await scratchForTest()
  const gate = join(scratch.folder, "gate")
  const loud = join(scratch.folder, "loud.mjs")
  writeFileSync(loud, loudAgent(gate))
  scratch.writeConfig({
    repositoryRoots: [scratch.folder],
    agents: [
      { id: "scribe", name: "Scribe", command: [process.execPath, join(scratch.folder, "agent.mjs")], prompt: "stdin" },
      { id: "loud", name: "Loud", command: [process.execPath, loud], prompt: "stdin" }
    ]
  })
  const env = { ...environmentOf(scratch), COPPICE_ADMIN_EMAIL: owner.email, COPPICE_ADMIN_PASSWORD: owner.password }
  const { url } = await serverForTest(env)
  const addProject = () => typed(env, "projects", "add", scratch.repository)
  if (project) await addProject()
  await page.goto(`${url}/login`)
  await page.fill("#email", owner.email)
  await page.fill("#password", owner.password)
  await page.click("main button")
  return { addProject, open: () => writeFileSync(gate, ""), scratch, url }
}

const create = async (page: Page, { agent, name }: { readonly agent: string; readonly name: string }) => {
  await page.click("text=New automation")
  await page.fill("#name", name)
  await page.fill("#prompt", "Write the file that the data asks for.")
  await page.selectOption("#agent", agent)
  await page.click("text=Create automation")
}

const deliver = (url: string, token: string, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

/** Waits until the page shows it: by itself where scripts run, else as a person looks again. */
const sees = async (page: Page, script: boolean, selector: string): Promise<void> => {
  if (script) return page.locator(selector).waitFor({ timeout: 30_000 })
  const deadline = performance.now() + 30_000
  while (await page.locator(selector).count() === 0) {
    if (performance.now() > deadline) throw new Error(`The page never shows ${selector}:\n${await page.textContent("main")}`)
    await page.click("text=Refresh")
  }
}

describeInChromium("automations in Chromium", () => {
  describe.each([{ script: true }, { script: false }])("script: $script", ({ script }) => {
    const person = () => newPerson({ javaScriptEnabled: script })

    test("leads from nothing to a webhook that starts runs, and refuses them while it is paused", async () => {
      const { complaints, page } = await person()
      const { addProject } = await site(page, { project: false })
      expect(await page.textContent("main")).toContain("npm run coppice -- projects add PATH")
      await addProject()
      await page.reload()
      await create(page, { agent: "scribe", name: "Write what was asked" })
      expect(await page.textContent("h1")).toBe("Write what was asked")
      const home = page.url().replace(/\?.*/, "")
      await page.click("text=Generate token")
      const [token, webhook] = [await page.inputValue("#new-token"), await page.inputValue("#webhook-url")]
      expect(await page.textContent("#new-curl")).toContain(`Bearer ${token}`)
      expect(await page.locator("[data-copy=new-token]").isVisible()).toBe(script)
      await page.goto(home)
      expect(await page.content()).not.toContain(token)

      const response = await deliver(webhook, token, { file: "hello.txt", content: "Hello.\n" })
      expect(response.status).toBe(200)
      const { runId } = await response.json() as { runId: string }
      await page.reload()
      await sees(page, script, "#runs .tag.good")
      await page.click(`#runs a[href$="${runId}"]`)
      expect(await page.textContent("#output")).toBe("wrote hello.txt as the webhook asked\n")
      expect(await page.textContent("[aria-label=Payload]")).toBe("{\"file\":\"hello.txt\",\"content\":\"Hello.\\n\"}")

      await page.goto(home)
      await page.click("button:text-is('Pause')")
      expect((await deliver(webhook, token, {})).status).toBe(400)
      await page.reload()
      expect(await page.textContent("#refused tbody")).toContain("The automation is paused.")
      await page.click("button:text-is('Resume')")
      await page.click("summary:text-is('Regenerate token')")
      await page.click("button:text-is('Regenerate token')")
      expect((await deliver(webhook, token, {})).status).toBe(401)
      expect((await deliver(webhook, await page.inputValue("#new-token"), {})).status).toBe(200)
      expect(complaints).toEqual([])
    })

    test("shows a run as it goes, as text, and runs it again", async () => {
      const { complaints, page } = await person()
      const { open } = await site(page)
      await create(page, { agent: "loud", name: "Loud" })
      await page.click("button:text-is('Run now')")
      await sees(page, script, "#output:has-text('begins')")
      expect(await page.textContent("#output")).toBe("begins <script>document.title = 'taken'</script> ⟨U+202E⟩back\n")
      expect(await page.title()).toBe("A run of Loud · Coppice")
      open()
      await sees(page, script, "#state .tag.good")
      expect(await page.textContent("#output")).toContain("ends")
      await page.click("text=Run again")
      expect(await page.textContent("dl.facts")).toContain("an earlier run")
      expect(complaints).toEqual([])
    })

    test("cancels a run, and deletes an automation once nothing of it is under way", async () => {
      const { page } = await person()
      await site(page)
      await create(page, { agent: "loud", name: "Loud" })
      const home = page.url().replace(/\?.*/, "")
      await page.click("button:text-is('Run now')")
      const run = page.url()
      await page.goto(`${home}/delete`)
      await page.click("button:text-is('Delete')")
      expect(await page.textContent("[role=alert]")).toContain("runs that have not ended")
      await page.goto(run)
      await page.click("text=Cancel run")
      await sees(page, script, "#state .tag:text-is('Cancelled')")
      await page.goto(`${home}/delete`)
      await page.click("button:text-is('Delete')")
      expect(await page.textContent(".notice")).toBe("The automation is deleted.")
    })
  })

  test("asks which workspace only where one is shared, and fits a phone in light and dark", async () => {
    const { page } = await newPerson({ viewport: { width: 390, height: 844 } })
    const { url } = await site(page)
    await page.goto(`${url}/automations/new`)
    expect(await page.locator("#workspaceId").isVisible()).toBe(false)
    await page.check("[value=reuse]")
    expect(await page.locator("#workspaceId").isVisible()).toBe(true)
    await page.goto(`${url}/automations`)
    await create(page, { agent: "scribe", name: "An automation with a name of words that go on and on" })
    const home = page.url().replace(/\?.*/, "")
    await page.click("text=Generate token")
    const fits = async () => expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      await fits()
    }
    await page.goto(home)
    await page.click("button:text-is('Run now')")
    await fits()
    for (const path of [home, `${home}/edit`, `${home}/delete`, `${url}/automations`]) {
      await page.goto(path)
      await fits()
    }
  })

  test("goes on with what a person is doing while a page is brought up to date", async () => {
    const { page } = await newPerson()
    const { url } = await site(page)
    await page.goto(`${url}/automations`)
    await create(page, { agent: "loud", name: "Loud" })
    const home = page.url().replace(/\?.*/, "")
    await page.click("button:text-is('Run now')")
    await page.goto(home)
    await page.click("summary:text-is('Run with JSON')")
    await page.fill("#payload", "[1]")
    await page.locator("#runs .tag:text-is('Running')").waitFor()
    expect(await page.inputValue("#payload")).toBe("[1]")
    expect(await page.evaluate("document.activeElement.id")).toBe("payload")
    await page.click("text=Run with this")
    expect(await page.textContent("[aria-label=Payload]")).toBe("[1]")
  })
})
