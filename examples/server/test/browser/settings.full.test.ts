import { createHash, randomBytes } from "node:crypto"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { coppice } from "../../src/demo/child.ts"
import { environmentOf, scratchForTest, serverForTest } from "../service.ts"
import { describeInChromium, newPerson } from "./chromium.ts"

const password = "correct horse battery"

const service = async () => {
  const scratch = await scratchForTest()
  const env = { ...environmentOf(scratch), COPPICE_ADMIN_EMAIL: "ann@example.com", COPPICE_ADMIN_PASSWORD: password }
  const server = await serverForTest(env)
  expect((await coppice(env, ["projects", "add", scratch.repository])).code).toBe(0)
  return { base: server.url, output: server.output }
}

const ann = async (base: string, options: Parameters<typeof newPerson>[0] = {}) => {
  const person = await newPerson(options)
  await person.page.goto(`${base}/login`)
  await person.page.fill("main [name=email]", "ann@example.com")
  await person.page.fill("main [name=password]", password)
  await person.page.click("main button")
  await person.page.goto(`${base}/settings/account`)
  return person
}

const mcpStatus = async (base: string, bearer: string) =>
  (await fetch(`${base}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
  })).status

/** Goes on by a link or a button that one can see, by what it is called to people who hear it. */
const follow = (page: Page, name: string | RegExp) => page.locator("main").getByRole("link", { name }).click()
const press = (page: Page, name: string | RegExp) => page.locator("main").getByRole("button", { name }).click()
const place = (page: Page, name: string) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click()
const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text })

/** A program that asks a person in their browser, and has its token once they allow it. */
const connect = async (base: string, page: Page, name: string) => {
  const redirectUri = "http://127.0.0.1:9/callback"
  const registration = await fetch(`${base}/api/auth/oauth2/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" })
  })
  const { client_id } = await registration.json() as { readonly client_id: string }
  const verifier = randomBytes(32).toString("base64url")
  await page.goto(`${base}/api/auth/oauth2/authorize?${new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    state: "s",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256"
  })}`)
  // Nobody listens there: where the browser is sent is all that is of interest.
  const sent = page.waitForRequest((request) => request.url().startsWith(redirectUri))
  await press(page, "Allow")
  const code = new URL((await sent).url()).searchParams.get("code")!
  const answer = await fetch(`${base}/api/auth/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "authorization_code", client_id, code, redirect_uri: redirectUri, code_verifier: verifier })
  })
  return (await answer.json() as { readonly access_token: string }).access_token
}

describeInChromium("settings in Chromium", () => {
  test.each([{ script: true }, { script: false }])("makes a key, and revokes it; script: $script", async ({ script }) => {
    const { base, output } = await service()
    const { complaints, context, page } = await ann(base, { javaScriptEnabled: script })
    if (script) await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await place(page, "Keys")
    await follow(page, "New key")
    await page.getByLabel("Name").fill("CI")
    expect(await page.getByRole("radio", { name: "Read only" }).isChecked()).toBe(true)
    // What belongs to the other answer shows up with it, script or no script.
    expect(await page.getByRole("checkbox", { name: "greeter" }).isVisible()).toBe(false)
    await page.getByRole("radio", { name: "Only some projects" }).check()
    await press(page, "Create key")
    expect(await page.textContent("#projectIds-fault")).toBe("Choose at least one project.")
    expect(await page.getByLabel("Name").inputValue()).toBe("CI")
    await page.getByRole("checkbox", { name: "greeter" }).check()
    await page.getByLabel("Expires after").selectOption("30 days")
    await press(page, "Create key")
    const key = await page.getByLabel("Your key").inputValue()
    expect(await mcpStatus(base, key)).toBe(200)
    const copy = page.locator("button[data-copy]")
    expect(await copy.isVisible()).toBe(script)
    if (script) {
      await copy.click()
      await page.getByText("Copied").waitFor()
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(key)
    }
    await follow(page, "I have it: go on")
    expect(await row(page, "CI").innerText()).toMatch(/Read only\s+greeter[^]*in 30 days\s+active/)
    expect(await page.content()).not.toContain(key)
    await follow(page, "Revoke CI")
    expect(await page.textContent("h1")).toBe("Revoke this key?")
    await follow(page, "Cancel")
    expect(await mcpStatus(base, key)).toBe(200)
    await follow(page, "Revoke CI")
    await press(page, "Revoke the key")
    expect(await page.getByRole("status").innerText()).toContain("The key is revoked.")
    expect(await row(page, "CI").innerText()).toContain("revoked")
    expect(await mcpStatus(base, key)).toBe(401)
    expect(output()).not.toContain(key)
    expect(complaints).toEqual([])
  })

  test.each([{ script: true }, { script: false }])("V7: ends what a program may do; script: $script", async ({ script }) => {
    const { base } = await service()
    const { complaints, page } = await ann(base, { javaScriptEnabled: script })
    await place(page, "Connections")
    expect(await page.textContent("main")).toContain("No program is connected.")
    const token = await connect(base, page, "<b>Сlaude</b>")
    expect(await mcpStatus(base, token)).toBe(200)
    await page.goto(`${base}/settings/connections`)
    const listed = await row(page, "<b>Сlaude</b>").innerText()
    for (const part of ["unverified", "mixed alphabets", "sends you to 127.0.0.1:9", "stay connected"]) expect(listed).toContain(part)
    await follow(page, "Everybody’s")
    expect(await row(page, "<b>Сlaude</b>").innerText()).toContain("ann")
    await follow(page, /^Revoke/)
    await press(page, "Revoke access")
    expect(await page.getByRole("status").innerText()).toContain("The connection is revoked.")
    expect(await mcpStatus(base, token)).toBe(401)
    expect(complaints).toEqual([])
  })

  test.each([{ script: true }, { script: false }])("invites somebody, makes them an admin, and removes them; script: $script", async ({ script }) => {
    const { base } = await service()
    const { complaints, page } = await ann(base, { javaScriptEnabled: script })
    await place(page, "Members")
    await follow(page, "Invite")
    await page.getByLabel("E-mail").fill("bob@example.com")
    await press(page, "Make the link")
    const link = await page.getByLabel("Link for bob@example.com").inputValue()
    await follow(page, "I have it: go on")
    expect(await row(page, "bob@example.com").innerText()).toContain("in 7 days")
    const bob = await newPerson({ javaScriptEnabled: script })
    await bob.page.goto(link)
    await bob.page.getByLabel("Your name").fill("Bob")
    await bob.page.getByLabel("Password", { exact: true }).fill(password)
    await bob.page.getByLabel("Password, again").fill(password)
    await press(bob.page, "Join")
    await bob.page.goto(`${base}/settings/account`)
    await place(bob.page, "Members")
    expect(await bob.page.getByRole("link", { name: "Invite" }).count()).toBe(0)
    expect(await row(bob.page, "bob@example.com").innerText()).toContain("member")
    await page.reload()
    await follow(page, "Manage Bob")
    await page.getByRole("radio", { name: "Admin" }).check()
    await press(page, "Change role")
    expect(await row(page, "bob@example.com").innerText()).toContain("admin")
    await bob.page.reload()
    expect(await bob.page.getByRole("link", { name: "Invite" }).count()).toBe(1)
    await follow(page, "Manage Bob")
    await follow(page, "Remove from the organization")
    await press(page, "Remove Bob")
    expect(await row(page, "bob@example.com").count()).toBe(0)
    await bob.page.reload()
    expect(await bob.page.textContent("main")).toContain("You are not a member of any organization any more.")
    await place(page, "Audit log")
    const log = await page.textContent("main")
    for (const part of ["removed bob@example.com from the organization", "changed the role of bob@example.com", "joined the organization"]) {
      expect(log).toContain(part)
    }
    expect([...complaints, ...bob.complaints]).toEqual([])
  })

  test("makes a service client, whose secret gets it in until there is another", async () => {
    const { base } = await service()
    const { complaints, page } = await ann(base)
    await place(page, "Members")
    await follow(page, "New service client")
    await page.getByLabel("Name").fill("Importer")
    await press(page, "Create")
    const id = await page.getByLabel("Client id").inputValue()
    const secret = await page.getByLabel("Client secret").inputValue()
    const ask = (presented: string) =>
      fetch(`${base}/api/auth/oauth2/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${id}:${presented}`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials" })
      })
    const { access_token: token } = await (await ask(secret)).json() as { readonly access_token: string }
    expect(await mcpStatus(base, token)).toBe(200)
    await follow(page, "I have it: go on")
    await follow(page, "Manage Importer")
    await follow(page, "New secret")
    await press(page, "Make a new secret")
    const next = await page.getByLabel("Client secret").inputValue()
    expect([(await ask(secret)).status, (await ask(next)).status]).toEqual([401, 200])
    await follow(page, "I have it: go on")
    await follow(page, "Manage Importer")
    await follow(page, "Remove")
    await press(page, "Remove Importer")
    expect(await mcpStatus(base, token)).toBe(401)
    expect(complaints).toEqual([])
  })

  test("is used by keyboard alone, and fits a narrow screen, light and dark", async () => {
    const { base } = await service()
    for (const colorScheme of ["light", "dark"] as const) {
      const { complaints, page } = await ann(base, { colorScheme, viewport: { width: 390, height: 800 }, reducedMotion: "reduce" })
      await page.goto(`${base}/settings/keys/new`)
      // The name has the focus; each question is one stop, whose answers the arrows choose.
      await page.keyboard.type(`Keyboard, ${colorScheme}`)
      await page.keyboard.press("Tab")
      await page.keyboard.press("ArrowDown")
      expect(await page.getByRole("radio", { name: "Full" }).isChecked()).toBe(true)
      await page.keyboard.press("Enter")
      expect(await page.getByLabel("Your key").inputValue()).toMatch(/^coppice_ak_/)
      for (const path of ["keys", "keys/new", "connections", "connections?of=everybody", "members", "members/invite", "members/service-clients/new", "audit"]) {
        await page.goto(`${base}/settings/${path}`)
        const beyond = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        expect([path, beyond]).toEqual([path, 0])
      }
      expect(complaints).toEqual([])
    }
  })
})
