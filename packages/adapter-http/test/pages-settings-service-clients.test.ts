import { newId, OAuthClientId } from "@coppice/core"
import { expect, it } from "vitest"
import { describeMatrix } from "./support/matrix.ts"
import { basic, failure, makeOAuth } from "./support/oauth.ts"
import { faultAt, makeSettings, secretIn, shown, tokenFor } from "./support/settings.ts"

const members = "/settings/members"
const newPath = `${members}/service-clients/new`

describeMatrix("pages of service clients", (context) => {
  const at = () => ({ ...makeSettings(context()), ...makeOAuth(context()) })
  type Somebody = Awaited<ReturnType<ReturnType<typeof makeSettings>["owner"]>>
  const pathOf = (id: string) => `${members}/service-clients/${id}`
  const create = async ({ browser }: Somebody, name = "Importer") => {
    const response = await browser.submit(newPath, newPath, { name })
    const html = await response.text()
    const { client } = [...context().database.oauthClients.values()].at(-1)!
    return { client, html, id: client.id, response, secret: secretIn(html, "coppice_cs_")! }
  }
  const askToken = (id: string, secret: string) => at().token({ grant_type: "client_credentials" }, { authorization: basic(id, secret) })
  const accessToken = async (id: string, secret: string): Promise<string> => {
    const response = await askToken(id, secret)
    expect(response.status).toBe(200)
    return (await response.json() as { readonly access_token: string }).access_token
  }

  it("makes a client whose secret is shown once, and gets it in", async () => {
    const { kept, mcpStatus, owner } = at()
    const olga = await owner()
    const { html, id, response, secret } = await create(olga)
    expect([response.status, response.headers.get("cache-control"), response.headers.get("location")]).toEqual([200, "no-store", null])
    expect(html).toContain(`curl -u ${id} -d grant_type=client_credentials`)
    expect(await mcpStatus(await accessToken(id, secret))).toBe(200)
    for (const page of [members, pathOf(id), "/settings/audit", "/settings/connections?of=everybody"]) {
      expect(await (await olga.browser.get(page)).text()).not.toContain(secret)
    }
    expect([...olga.browser.cookies.values()].join()).not.toContain("coppice_cs_")
    expect(kept()).not.toContain(secret)
    expect(kept()).toContain("service_client.created")
  })

  it("lists it as a client, and not as a person whom one could manage", async () => {
    const { owner } = at()
    const olga = await owner()
    const { client, id } = await create(olga)
    const html = await (await olga.browser.get(members)).text()
    expect(html).toContain(`href="${pathOf(id)}"`)
    expect(html).not.toContain("service.invalid")
    const person = `${members}/${client.service!.userId}`
    expect((await olga.browser.get(person)).status).toBe(404)
    for (const action of [`${person}/remove`, `${person}/role`]) {
      expect((await olga.browser.post(action, { ...tokenFor(olga.browser, action), role: "admin" })).status).toBe(404)
    }
    await accessToken(id, await rotated(olga, id))
    expect(await shown(olga.browser.get("/settings/connections?of=everybody"))).toMatch(/Importer service client Importer May do all that a member may\./)
  })

  const rotated = async ({ browser }: Somebody, id: string): Promise<string> => {
    const response = await browser.submit(`${pathOf(id)}/rotate`, `${pathOf(id)}/rotate`, {})
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"])
    return secretIn(await response.text(), "coppice_cs_")!
  }

  it("gives it a new secret after asking, and takes the old one's worth", async () => {
    const { kept, mcpStatus, owner } = at()
    const olga = await owner()
    const { id, secret } = await create(olga)
    const before = await accessToken(id, secret)
    expect(await shown(olga.browser.get(`${pathOf(id)}/rotate`))).toContain("The present secret of Importer gets no tokens any more.")
    const next = await rotated(olga, id)
    expect(next).not.toBe(secret)
    expect(await failure(await askToken(id, secret))).toEqual([401, "invalid_client"])
    expect(await mcpStatus(await accessToken(id, next))).toBe(200)
    expect(await mcpStatus(before)).toBe(200)
    expect(await (await olga.browser.get(pathOf(id))).text()).not.toContain(next)
    expect(kept()).not.toContain(next)
    expect(kept()).toContain("service_client.secret_rotated")
  })

  it("removes it after asking: its next request is 401", async () => {
    const { kept, mcpStatus, owner } = at()
    const olga = await owner()
    const { id, secret } = await create(olga)
    const token = await accessToken(id, secret)
    expect(await shown(olga.browser.get(`${pathOf(id)}/remove`))).toContain("Importer stops working at once")
    expect(await mcpStatus(token)).toBe(200)
    const done = await olga.browser.submit(`${pathOf(id)}/remove`, `${pathOf(id)}/remove`, {})
    expect([done.status, done.headers.get("location")]).toEqual([303, `${members}?notice=service-client-removed`])
    expect(await mcpStatus(token)).toBe(401)
    expect(await failure(await askToken(id, secret))).toEqual([401, "invalid_client"])
    expect(await (await olga.browser.get(members)).text()).not.toContain(id)
    expect(kept()).toContain("service_client.removed")
  })

  it("is for admins of its organization alone", async () => {
    const { colleague, mcpStatus, owner } = at()
    const olga = await owner()
    const { id, secret } = await create(olga)
    const max = await colleague(olga, "member", "Max")
    const stranger = await owner("Stan")
    const { size } = context().database.oauthClients
    expect((await max.browser.post(newPath, { ...tokenFor(max.browser, newPath), name: "Mine" })).status).toBe(403)
    for (const [{ browser }, status] of [[max, 403], [stranger, 404]] as const) {
      for (const page of [pathOf(id), `${pathOf(id)}/rotate`, `${pathOf(id)}/remove`]) expect((await browser.get(page)).status).toBe(status)
      for (const action of [`${pathOf(id)}/rotate`, `${pathOf(id)}/remove`]) {
        expect((await browser.post(action, tokenFor(browser, action))).status).toBe(status)
      }
    }
    const unknown = await context().runtime.runPromise(newId(OAuthClientId))
    for (const other of [unknown, "no-id"]) expect((await olga.browser.get(pathOf(other))).status).toBe(404)
    expect(await mcpStatus(await accessToken(id, secret))).toBe(200)
    expect(context().database.oauthClients.size).toBe(size)
  })

  it("shows and ends no client that registered itself", async () => {
    const { connect, mcpStatus, owner } = at()
    const olga = await owner()
    const { client: { client_id: id }, tokens } = await connect({}, undefined, olga.user)
    expect((await olga.browser.get(pathOf(id))).status).toBe(404)
    expect((await olga.browser.post(`${pathOf(id)}/remove`, tokenFor(olga.browser, `${pathOf(id)}/remove`))).status).toBe(404)
    expect(await mcpStatus(tokens.access_token)).toBe(200)
  })

  it("says what is wrong with a name, and keeps it; C1: takes no form that another page made", async () => {
    const { owner } = at()
    const olga = await owner()
    const { id } = await create(olga)
    const { size } = context().database.oauthClients
    const name = "x".repeat(101)
    const answer = await olga.browser.submit(newPath, newPath, { name })
    const html = await answer.text()
    expect([answer.status, faultAt(html, "name") === undefined, html.includes(name)]).toEqual([400, false, true])
    const fields = olga.browser.hidden(html, newPath)
    expect((await olga.browser.post(`${pathOf(id)}/remove`, fields)).status).toBe(403)
    expect((await olga.browser.post(newPath, { ...fields, name: "Evil" }, { origin: "https://evil.example" })).status).toBe(403)
    expect(context().database.oauthClients.size).toBe(size)
  })
})
