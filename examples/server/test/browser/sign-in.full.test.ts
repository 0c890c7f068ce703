import type { Page } from "playwright-core"
import { describe, expect, test } from "vitest"
import type { Answers } from "../../src/cli/answers.ts"
import { startServer } from "../../src/demo/child.ts"
import { environmentOf, scratchForTest, serverForTest, typed } from "../service.ts"
import { describeInChromium, newPerson } from "./chromium.ts"

const password = "correct horse battery"

const fill = async (page: Page, fields: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(fields)) await page.fill(`main [name="${name}"]`, value)
  await page.click("main button:not([name])")
}

const setupLink = (output: string): string => /^ {2}(http:\S+\/setup\?token=\S+)$/m.exec(output)![1]!

/** A service whose first owner came in by the link that it printed. */
const serviceWithOwner = async (page: Page) => {
  const env = environmentOf(await scratchForTest())
  const server = await serverForTest(env)
  await page.goto(setupLink(server.output()))
  await fill(page, { name: "Ann", email: "ann@example.com", password, again: password, organization: "Home" })
  return { env, url: server.url, server }
}

const isIn = async (page: Page, url: string): Promise<boolean> => {
  await page.goto(`${url}/settings/account`)
  return new URL(page.url()).pathname === "/settings/account"
}

describeInChromium("signing in in Chromium", () => {
  describe.each([{ script: true }, { script: false }])("script: $script", ({ script }) => {
    const person = (options = {}) => newPerson({ javaScriptEnabled: script, ...options })

    test("sets up by the printed link, once, with help where the form is wrong", async () => {
      const { complaints, page } = await person()
      const env = environmentOf(await scratchForTest())
      const server = await serverForTest(env)
      const link = setupLink(server.output())
      await page.goto(link)
      const owner = { name: "Ann", email: "ann@example.com", password, again: password, organization: "Home" }
      await fill(page, { ...owner, again: `${password}!` })
      expect(await page.textContent("#again-fault")).toBe("The two are not the same.")
      expect(await page.inputValue("#email")).toBe("ann@example.com")
      await fill(page, { password, again: password })
      expect(new URL(page.url()).pathname).toBe("/automations")
      expect(await isIn(page, server.url)).toBe(true)
      expect(await page.textContent("dl.facts")).toContain("Home, as owner")
      await page.goto(link)
      expect(await page.textContent("main")).toContain("This set-up link does not work any more")
      expect(complaints).toEqual([])
      const { user } = await typed<Answers["users_create"]>(env, "users", "create", "--email", "bob@example.com")
      expect(user.activeOrganizationId).toBeDefined()
      await server.stop()
      const again = await serverForTest(env)
      expect(again.output()).toBe(`Coppice is ready at ${again.url}\n`)
      for (const secret of [password, new URL(link).searchParams.get("token")!]) {
        expect(again.output()).not.toContain(secret)
      }
    })

    test("signs in and out, and says that a password is wrong", async () => {
      const { page } = await person()
      const { url } = await serviceWithOwner(page)
      const other = await person()
      await other.page.goto(`${url}/settings/account`)
      expect(new URL(other.page.url()).pathname).toBe("/login")
      await fill(other.page, { email: "ann@example.com", password: "wrong wrong" })
      expect(await other.page.textContent("#password-fault")).toBe("The e-mail address or the password is wrong.")
      await fill(other.page, { password })
      expect(new URL(other.page.url()).pathname).toBe("/settings/account")
      await other.page.click("details.account summary")
      await other.page.click("details.account >> text=Sign out")
      expect(await other.page.textContent(".notice")).toBe("You are signed out.")
      expect(await isIn(other.page, url)).toBe(false)
      expect(await isIn(page, url)).toBe(true)
    })

    test("sets a password by the link that the operator was given, and signs out everywhere", async () => {
      const { page } = await person()
      const { env, url } = await serviceWithOwner(page)
      const { passwordUrl } = await typed<Answers["users_create"]>(env, "users", "create", "--email", "bob@example.com")
      const [here, there] = [await person(), await person()]
      await here.page.goto(passwordUrl)
      await fill(here.page, { password, again: password })
      expect(await isIn(here.page, url)).toBe(true)
      await there.page.goto(passwordUrl)
      expect(await there.page.textContent("main")).toContain("This link was used already")
      await there.page.goto(`${url}/login`)
      await fill(there.page, { email: "bob@example.com", password })
      expect(await isIn(there.page, url)).toBe(true)
      await there.page.click("text=Sign out everywhere")
      expect(await there.page.textContent(".notice")).toBe("You are signed out in all browsers.")
      expect([await isIn(here.page, url), await isIn(there.page, url), await isIn(page, url)]).toEqual([false, false, true])
    })
  })

  test("keeps its cookies from scripts, and is the same on a phone and in the dark", async () => {
    const { context, page } = await newPerson()
    const { url } = await serviceWithOwner(page)
    expect(await isIn(page, url)).toBe(true)
    expect(await page.evaluate("document.cookie")).toBe("")
    const cookies = await context.cookies()
    expect(cookies.map(({ httpOnly, name, sameSite }) => [name, httpOnly, sameSite]).toSorted()).toEqual([
      ["coppice_session", true, "Lax"],
      ["coppice_visit", true, "Lax"]
    ])
    await page.setViewportSize({ width: 390, height: 844 })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      for (const path of ["/settings/account"]) {
        await page.goto(url + path)
        // Nothing is wider than the screen.
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390)
      }
    }
  })

  test("lets in the owner whom the environment names, with the password that it names or by a link", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const owner = { ...env, COPPICE_ADMIN_EMAIL: "Ann@example.com", COPPICE_ADMIN_PASSWORD: password }
    const server = await serverForTest(owner)
    expect(server.output()).toBe(`Coppice is ready at ${server.url}\n`)
    const { page } = await newPerson()
    await page.goto(`${server.url}/login`)
    await fill(page, { email: "ann@example.com", password })
    expect(await isIn(page, server.url)).toBe(true)
    await server.stop()
    // It is the first start's: another password in the environment changes nothing.
    const again = await startServer({ ...owner, COPPICE_ADMIN_PASSWORD: "something else" })
    expect(await isIn(page, again.url)).toBe(true)
    await again.stop()

    const second = environmentOf(await scratchForTest())
    const linked = await serverForTest({ ...second, COPPICE_ADMIN_EMAIL: "cat@example.com" })
    const link = /^ {2}(http:\S+\/join\?token=\S+)$/m.exec(linked.output())![1]!
    const cat = await newPerson()
    await cat.page.goto(link)
    await fill(cat.page, { password, again: password })
    expect(await isIn(cat.page, linked.url)).toBe(true)
  })
})
