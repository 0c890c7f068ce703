import { GrantId, newId } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix } from "./support/matrix.ts"
import { failure, makeOAuth, manyRegistrations } from "./support/oauth.ts"
import { makeSettings, shown, tokenFor } from "./support/settings.ts"

const path = "/settings/connections"
const everybodys = `${path}?of=everybody`

describeMatrix("pages of connections", (context) => {
  const at = () => ({ ...makeSettings(context()), ...makeOAuth(context()) })
  const revokePath = ({ id }: { readonly id: string }) => `${path}/${id}/revoke`
  /** A program that a person allowed, and its grant. */
  const connected = async (user: Parameters<ReturnType<typeof makeOAuth>["connect"]>[2], metadata: object = { client_name: "Claude" }, fields = {}) => {
    const connection = await at().connect(fields, metadata, user)
    return { ...connection, grant: [...context().database.grants.values()].at(-1)! }
  }

  it("V7: lists what a person allowed: who, where they are sent, what for, and since when", async () => {
    const { mcpStatus, owner } = at()
    const { browser, user } = await owner()
    const empty = await shown(browser.get(path))
    expect(empty).toContain("No program is connected")
    expect(empty).toContain(`${context().base}/mcp`)
    const { tokens } = await connected(user, { client_name: "Claude" }, { scope: "openid email offline_access" })
    expect(await shown(browser.get(path))).toMatch(/Claude unverified sends you to app\.example .* just now Never in 3 months Revoke/)
    expect(await mcpStatus(tokens.access_token)).toBe(200)
    const used = await shown(browser.get(path))
    expect(used).toContain("just now just now in 3 months")
    expect(used).toContain("May do all that the person may, recognize the person, see their e-mail address, and stay connected while they are away.")
    expect(used).not.toContain("see their name")
  })

  it("C10: shows a name that wants to pass for something else as what it is", async () => {
    const { browser, user } = await at().owner()
    for (const [name, listed] of [
      ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"],
      ["Cl\u202eedua", "Cledua"],
      ["Сlaude", "Сlaude</bdi> <span class=\"tag warn\">unverified</span> <span class=\"tag bad\">mixed alphabets</span>"]
    ] as const) {
      const { grant } = await connected(user, { client_name: name })
      for (const page of [path, revokePath(grant)]) {
        const html = (await (await browser.get(page)).text()).replaceAll("&gt;", ">")
        expect(html).toContain(`<bdi>${listed}`)
        expect(html).not.toContain("<img src=x")
      }
    }
    await connected(user, {})
    expect(await shown(browser.get(path))).toContain("A program without a name unverified")
  })

  it(verifies("revoke.in-the-app", "revoke.401-on-next-request") + "V7: revokes a connection after asking: its next request is 401, and it renews nothing", async () => {
    const { kept, mcpStatus, owner, refresh } = at()
    const { browser, user } = await owner()
    const { client, grant, tokens } = await connected(user)
    const other = await connected(user, { client_name: "Another" })
    expect(await shown(browser.get(revokePath(grant)))).toContain("Claude unverified sends you to app.example It can act for you no more")
    expect(await mcpStatus(tokens.access_token)).toBe(200)
    const done = await browser.submit(revokePath(grant), revokePath(grant), {})
    expect([done.status, done.headers.get("location")]).toEqual([303, `${path}?notice=connection-revoked`])
    expect(await mcpStatus(tokens.access_token)).toBe(401)
    expect(await failure(await refresh(client.client_id, tokens.refresh_token))).toEqual([400, "invalid_grant"])
    expect(await mcpStatus(other.tokens.access_token)).toBe(200)
    const after = await shown(browser.get(`${path}?notice=connection-revoked`))
    expect(after).toContain("The connection is revoked.")
    expect([after.includes("Claude"), after.includes("Another")]).toEqual([false, true])
    expect((await browser.get(revokePath(grant))).status).toBe(404)
    expect(kept()).toContain("grant.revoked")
  })

  it("V7: revokes a connection whose code was not redeemed yet", async () => {
    const { code, owner, redeem, register } = at()
    const { browser, user } = await owner()
    const { client_id: clientId } = await register({ client_name: "Slow" })
    const approved = await code(clientId, {}, user)
    const grant = [...context().database.grants.values()].at(-1)!
    expect((await browser.submit(revokePath(grant), revokePath(grant), {})).status).toBe(303)
    expect(await failure(await redeem(clientId, approved.code))).toEqual([400, "invalid_grant"])
  })

  it("shows everybody's to an admin, who can revoke them, and to a member nobody else's", async () => {
    const { colleague, mcpStatus, owner } = at()
    const olga = await owner()
    const max = await colleague(olga, "member", "Max")
    const ada = await colleague(olga, "admin", "Ada")
    const olgas = await connected(olga.user, { client_name: "Olga's agent" })
    const maxs = await connected(max.user, { client_name: "Max's agent" })
    const own = await shown(max.browser.get(path))
    expect([own.includes("Max's agent"), own.includes("Olga's agent"), own.includes("Everybody")]).toEqual([true, false, false])
    expect((await max.browser.get(everybodys)).status).toBe(403)
    expect(await shown(ada.browser.get(path))).toContain("No program is connected")
    expect(await shown(ada.browser.get(everybodys))).toMatch(/Max's agent unverified sends you to app\.example Max May do .* Olga's agent/)
    expect((await max.browser.get(revokePath(olgas.grant))).status).toBe(404)
    expect((await max.browser.post(revokePath(olgas.grant), tokenFor(max.browser, revokePath(olgas.grant)))).status).toBe(404)
    expect(await mcpStatus(olgas.tokens.access_token)).toBe(200)
    expect(await shown(ada.browser.get(revokePath(maxs.grant)))).toContain("It can act for Max no more")
    const done = await ada.browser.submit(revokePath(maxs.grant), revokePath(maxs.grant), {})
    expect(done.headers.get("location")).toBe(`${everybodys}&notice=connection-revoked`)
    expect(await mcpStatus(maxs.tokens.access_token)).toBe(401)
    expect(await shown(ada.browser.get(`${everybodys}&notice=connection-revoked`))).toContain("The connection is revoked.")
  })

  it("shows and revokes nothing of another organization", async () => {
    const { mcpStatus, owner } = at()
    const { user } = await owner()
    const { grant, tokens } = await connected(user)
    const stranger = await owner("Stan")
    expect(await shown(stranger.browser.get(everybodys))).toContain("No program is connected")
    for (const id of [grant.id, await context().runtime.runPromise(newId(GrantId)), "no-id"]) {
      expect((await stranger.browser.get(revokePath({ id }))).status).toBe(404)
      expect((await stranger.browser.post(revokePath({ id }), tokenFor(stranger.browser, revokePath({ id })))).status).toBe(404)
    }
    expect(await mcpStatus(tokens.access_token)).toBe(200)
  })

  it("C1: takes no form that another page made", async () => {
    const { mcpStatus, owner } = at()
    const { browser, user } = await owner()
    const [one, other] = [await connected(user), await connected(user)]
    const fields = browser.hidden(await (await browser.get(revokePath(one.grant))).text(), revokePath(one.grant))
    expect((await browser.post(revokePath(other.grant), fields)).status).toBe(403)
    expect((await browser.post(revokePath(one.grant), {})).status).toBe(403)
    expect((await browser.post(revokePath(one.grant), fields, { origin: "https://evil.example" })).status).toBe(403)
    for (const { tokens } of [one, other]) expect(await mcpStatus(tokens.access_token)).toBe(200)
  })
}, manyRegistrations)
