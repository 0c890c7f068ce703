import { ApiKeyId, createApiKey, CurrentPrincipal, newId } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { DateTime, Effect } from "effect"
import { expect, it } from "vitest"
import type { Browser } from "./support/browser.ts"
import { describeMatrix } from "./support/matrix.ts"
import { makeOAuth } from "./support/oauth.ts"
import { faultAt, makeSettings, secretIn, shown, tokenFor } from "./support/settings.ts"

const path = "/settings/keys"
const newPath = "/settings/keys/new"
const least = { name: "CI", access: "read", reach: "all", lifetime: "90" }
const dayMillis = 24 * 60 * 60 * 1000

describeMatrix("pages of keys", (context) => {
  const at = () => ({ ...makeSettings(context()), mcpStatus: makeOAuth(context()).mcpStatus })
  const create = async (browser: Browser, fields: Record<string, string> = {}) => {
    const response = await browser.submit(newPath, newPath, { ...least, ...fields })
    const html = await response.text()
    const secret = secretIn(html, "coppice_ak_")
    const row = [...context().database.apiKeys.values()].at(-1)!
    return { html, key: row.key, response, secret: secret! }
  }
  const revokePath = ({ id }: { readonly id: string }) => `${path}/${id}/revoke`

  it(verifies("auth.api-key-created-in-app") + "makes a key that opens the service, with no more than was chosen", async () => {
    const { mcpStatus, owner } = at()
    const { browser, user } = await owner()
    const form = await (await browser.get(newPath)).text()
    expect(/<input [^>]*value="read"[^>]* checked/.test(form)).toBe(true)
    const before = Date.now()
    const { html, key, response, secret } = await create(browser)
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(html).toContain(`${context().base}/mcp`)
    expect([key.name, key.access, key.projectIds, key.userId]).toEqual(["CI", "read", undefined, user.id])
    expect(Math.round((DateTime.toEpochMillis(key.expiresAt!) - before) / dayMillis)).toBe(90)
    expect(await mcpStatus(secret)).toBe(200)
    for (const [lifetime, days] of [["30", 30], ["365", 365]] as const) {
      const made = await create(browser, { lifetime, access: "full" })
      expect(made.key.access).toBe("full")
      expect(Math.round((DateTime.toEpochMillis(made.key.expiresAt!) - before) / dayMillis)).toBe(days)
    }
    expect((await create(browser, { lifetime: "never" })).key.expiresAt).toBeUndefined()
  })

  it("makes a key for some projects, of the organization alone", async () => {
    const { addProject, owner } = at()
    const somebody = await owner()
    const greeter = await addProject(somebody, "greeter")
    await addProject(somebody, "site")
    const foreign = await addProject(await owner(), "theirs")
    const form = await shown(somebody.browser.get(newPath))
    expect(form).toContain("greeter")
    expect(form).not.toContain("theirs")
    expect((await create(somebody.browser, { reach: "some", projectIds: greeter })).key.projectIds).toEqual([greeter])
    expect((await create(somebody.browser, { reach: "all", projectIds: greeter })).key.projectIds).toBeUndefined()
    expect(await shown(somebody.browser.get(path))).toContain("Read only greeter")
    const { size } = context().database.apiKeys
    expect((await create(somebody.browser, { reach: "some", projectIds: foreign })).response.status).toBe(404)
    expect(context().database.apiKeys.size).toBe(size)
  })

  it("says at each field what is wrong with it, and keeps what was filled in", async () => {
    const { addProject, owner } = at()
    const somebody = await owner()
    await addProject(somebody, "greeter")
    const { size } = context().database.apiKeys
    for (const [field, fields] of [
      ["name", { name: " " }],
      ["name", { name: "x".repeat(101) }],
      ["access", { access: "root" }],
      ["reach", { reach: "none" }],
      ["projectIds", { reach: "some" }]
    ] as const) {
      const { html, response } = await create(somebody.browser, { lifetime: "365", ...fields })
      expect([field, response.status]).toEqual([field, 400])
      expect(faultAt(html, field)).toBeTruthy()
      expect(html).toMatch(/<option value="365" selected|<option selected value="365"/)
    }
    const { html } = await create(somebody.browser, { access: "", name: "Kept \"name\"" })
    expect(html).toContain("value=\"Kept &quot;name&quot;\"")
    expect((await create(somebody.browser, { lifetime: "36500" })).response.status).toBe(400)
    expect(context().database.apiKeys.size).toBe(size)
  })

  it("shows a key once: in no later page, row, log, address or cookie", async () => {
    const { kept, owner } = at()
    const { browser } = await owner()
    const { response, secret } = await create(browser)
    expect(response.headers.get("location")).toBeNull()
    expect([...response.headers.getSetCookie(), ...browser.cookies.values()].join()).not.toContain("coppice_ak_")
    for (const page of [path, newPath, "/settings/audit", "/settings/account"]) {
      expect(await (await browser.get(page)).text()).not.toContain(secret)
    }
    expect(kept()).not.toContain(secret)
    expect(kept()).toContain("api_key.created")
  })

  it("lists to a member their own, and to an admin everybody's with the owner's name", async () => {
    const { colleague, owner } = at()
    const olga = await owner("Olga")
    const max = await colleague(olga, "member", "Max")
    const ada = await colleague(olga, "admin", "Ada")
    expect(await shown(max.browser.get(path))).toContain("There are no keys yet")
    await create(olga.browser, { name: "Olga's key" })
    await create(max.browser, { name: "Max's key", access: "full" })
    const own = await shown(max.browser.get(path))
    expect(own).toContain("Max's key")
    expect(own).not.toContain("Olga's key")
    const all = await shown(ada.browser.get(path))
    expect(all).toMatch(/Max's key Max Full All projects just now Never in 3 months active Revoke .*Olga's key olga-/)
    const other = await owner()
    expect(await shown(other.browser.get(path))).not.toContain("key Max")
  })

  it(verifies("revoke.in-the-app", "auth.api-key-revoked-401") + "revokes a key after asking; its very next request is 401", async () => {
    const { kept, mcpStatus, owner } = at()
    const { browser } = await owner()
    const { key, secret } = await create(browser, { name: "Old script" })
    const list = await (await browser.get(path)).text()
    expect(list).toContain(`href="${revokePath(key)}"`)
    const question = await browser.get(revokePath(key))
    expect(await shown(question)).toContain("Old script stops working at once")
    expect(await mcpStatus(secret)).toBe(200)
    const done = await browser.submit(revokePath(key), revokePath(key), {})
    expect([done.status, done.headers.get("location")]).toEqual([303, "/settings/keys?notice=key-revoked"])
    expect(await mcpStatus(secret)).toBe(401)
    const after = await shown(browser.get("/settings/keys?notice=key-revoked"))
    expect(after).toContain("The key is revoked.")
    expect(after).toMatch(/Old script .* revoked/)
    expect(kept()).toContain("api_key.revoked")
  })

  it("has a member revoke nobody else's key, an admin anybody's, and nobody one of another organization", async () => {
    const { colleague, mcpStatus, owner } = at()
    const olga = await owner()
    const max = await colleague(olga, "member", "Max")
    const stranger = await owner("Stan")
    const { key, secret } = await create(olga.browser)
    const own = await create(stranger.browser)
    for (const { browser } of [max, stranger]) {
      expect((await browser.get(revokePath(key))).status).toBe(404)
      expect((await browser.post(revokePath(key), tokenFor(browser, revokePath(key)))).status).toBe(404)
    }
    for (const id of [await context().runtime.runPromise(newId(ApiKeyId)), "no-id", "%00"]) {
      expect((await olga.browser.get(`${path}/${id}/revoke`)).status).toBeGreaterThanOrEqual(400)
    }
    expect(await mcpStatus(secret)).toBe(200)
    const maxs = await create(max.browser)
    expect((await olga.browser.submit(revokePath(maxs.key), revokePath(maxs.key), {})).status).toBe(303)
    expect(await mcpStatus(maxs.secret)).toBe(401)
    expect(await mcpStatus(own.secret)).toBe(200)
  })

  it("C1: takes no form that another page made", async () => {
    const { mcpStatus, owner } = at()
    const { browser } = await owner()
    const { key, secret } = await create(browser)
    const { size } = context().database.apiKeys
    const question = await (await browser.get(revokePath(key))).text()
    const fields = browser.hidden(question, revokePath(key))
    expect((await browser.post(newPath, { ...least, ...fields })).status).toBe(403)
    expect((await browser.post(revokePath(key), {})).status).toBe(403)
    expect((await browser.post(revokePath(key), fields, { origin: "https://evil.example" })).status).toBe(403)
    expect([context().database.apiKeys.size, await mcpStatus(secret)]).toEqual([size, 200])
  })

  it("shows many keys in parts", async () => {
    const { owner } = at()
    const { browser, user } = await owner()
    const principal = { organizationId: user.activeOrganizationId, userId: user.id, role: "owner" } as const
    await context().runtime.runPromise(Effect.forEach(Array.from({ length: 51 }), (_, number) =>
      Effect.provideService(createApiKey({ name: `number ${number}.` }), CurrentPrincipal, principal)))
    const first = await (await browser.get(path)).text()
    expect([first.includes("number 50."), first.includes("number 0.")]).toEqual([true, false])
    const older = /href="([^"]*cursor=[^"]*)"/.exec(first)![1]!
    const second = await (await browser.get(older.replaceAll("&amp;", "&"))).text()
    expect([second.includes("number 50."), second.includes("number 0.")]).toEqual([false, true])
    expect(second).toContain(`href="${path}"`)
    expect((await browser.get(`${path}?cursor=${"x".repeat(300)}`)).status).toBe(200)
  })
})
