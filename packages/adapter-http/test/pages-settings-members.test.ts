import { InvitationId, newId, UserId } from "@coppice/core"
import { expect, it } from "vitest"
import { makeBrowser } from "./support/browser.ts"
import { describeMatrix } from "./support/matrix.ts"
import { makeOAuth, manyRegistrations } from "./support/oauth.ts"
import { faultAt, makeSettings, secretIn, shown, tokenFor } from "./support/settings.ts"

const path = "/settings/members"
const invitePath = "/settings/members/invite"

describeMatrix("pages of members", (context) => {
  const at = () => ({ ...makeSettings(context()), ...makeOAuth(context()) })
  type Somebody = Awaited<ReturnType<ReturnType<typeof makeSettings>["owner"]>>
  const rolePath = ({ user }: Pick<Somebody, "user">) => `${path}/${user.id}/role`
  const removePath = ({ user }: Pick<Somebody, "user">) => `${path}/${user.id}/remove`
  const makeAdmin = ({ browser }: Somebody, of: Somebody, role = "admin") =>
    browser.post(rolePath(of), { ...tokenFor(browser, rolePath(of)), role })
  const remove = ({ browser }: Somebody, of: Somebody) => browser.post(removePath(of), tokenFor(browser, removePath(of)))

  it("shows a member who is there, and nothing to change", async () => {
    const { colleague, owner } = at()
    const olga = await owner()
    const max = await colleague(olga, "member", "Max")
    await colleague(await owner("Stan"), "member", "Sue")
    const list = await max.browser.get(path)
    const html = await list.text()
    expect([list.status, html.includes("Invitations"), html.includes("Service clients"), html.includes("Manage</a>")]).toEqual([200, false, false, false])
    const text = await shown(max.browser.get(path))
    expect(text).toMatch(new RegExp(`Max You ${max.user.email} member just now Leave ${olga.user.name} ${olga.user.email} owner`))
    expect(text).not.toContain("Sue")
    for (const page of [invitePath, `${path}/${olga.user.id}`, `${path}/service-clients/new`]) {
      expect([page, (await max.browser.get(page)).status]).toEqual([page, 403])
    }
  })

  it("gives a member another role, as an admin", async () => {
    const { colleague, kept, owner, roleOf } = at()
    const olga = await owner()
    const max = await colleague(olga, "member", "Max")
    const page = `${path}/${max.user.id}`
    expect(await (await olga.browser.get(path)).text()).toContain(`href="${page}"`)
    expect(await (await olga.browser.get(page)).text()).toMatch(/value="member"[^>]* checked/)
    const done = await olga.browser.submit(page, rolePath(max), { role: "admin" })
    expect([done.status, done.headers.get("location")]).toEqual([303, `${path}?notice=role-changed`])
    expect(await roleOf(max)).toBe("admin")
    expect((await max.browser.get("/settings/audit")).status).toBe(200)
    expect((await makeAdmin(max, olga, "member")).status).toBe(403)
    for (const role of ["owner", "", "root"]) expect((await makeAdmin(olga, max, role)).status).toBe(400)
    expect([await roleOf(olga), await roleOf(max)]).toEqual(["owner", "admin"])
    expect(kept()).toContain("member.role_changed")
  })

  it("has no member change a role, nobody their own, and nobody one of another organization", async () => {
    const { colleague, owner, roleOf } = at()
    const olga = await owner()
    const [max, mia, ada] = [await colleague(olga, "member", "Max"), await colleague(olga, "member", "Mia"), await colleague(olga, "admin", "Ada")]
    const stranger = await owner("Stan")
    expect((await makeAdmin(max, mia)).status).toBe(403)
    expect((await makeAdmin(max, max)).status).toBe(403)
    expect((await makeAdmin(ada, ada, "member")).status).toBe(403)
    expect((await makeAdmin(stranger, max)).status).toBe(404)
    expect((await stranger.browser.get(`${path}/${max.user.id}`)).status).toBe(404)
    expect([await roleOf(max), await roleOf(mia), await roleOf(ada)]).toEqual(["member", "member", "admin"])
    const own = await shown(ada.browser.get(`${path}/${ada.user.id}`))
    expect([own.includes("Nobody changes their own role"), own.includes("Change role")]).toEqual([true, false])
  })

  it("removes a member after asking: their keys and connections end, and their browser is let in no more", async () => {
    const { colleague, connect, kept, mcpStatus, owner, roleOf } = at()
    const olga = await owner()
    const max = await colleague(olga, "member", "Max")
    const made = await max.browser.submit("/settings/keys/new", "/settings/keys/new", { name: "CI", access: "read", reach: "all", lifetime: "30" })
    const key = secretIn(await made.text(), "coppice_ak_")!
    const { tokens } = await connect({}, undefined, max.user)
    expect([await mcpStatus(key), await mcpStatus(tokens.access_token)]).toEqual([200, 200])
    expect(await (await olga.browser.get(`${path}/${max.user.id}`)).text()).toContain(`href="${removePath(max)}"`)
    expect(await shown(olga.browser.get(removePath(max)))).toContain(`Max (${max.user.email}) is no longer a member`)
    expect(await roleOf(max)).toBe("member")
    const done = await olga.browser.submit(removePath(max), removePath(max), {})
    expect([done.status, done.headers.get("location")]).toEqual([303, `${path}?notice=member-removed`])
    expect([await mcpStatus(key), await mcpStatus(tokens.access_token)]).toEqual([401, 401])
    expect(await roleOf(max)).toBeUndefined()
    expect((await max.browser.get("/settings/keys")).status).toBe(403)
    expect(await shown(olga.browser.get(path))).not.toContain("Max")
    expect(kept()).toContain("member.removed")
  })

  it("removes nobody for a member, no owner, and nobody of another organization; anybody else may leave", async () => {
    const { colleague, owner, roleOf } = at()
    const olga = await owner()
    const [max, mia, ada] = [await colleague(olga, "member", "Max"), await colleague(olga, "member", "Mia"), await colleague(olga, "admin", "Ada")]
    const stranger = await owner("Stan")
    for (const [who, whom, status] of [[max, mia, 403], [ada, olga, 403], [olga, olga, 403], [stranger, max, 404]] as const) {
      expect((await remove(who, whom)).status).toBe(status)
    }
    expect((await max.browser.get(removePath(mia))).status).toBe(403)
    expect((await stranger.browser.get(removePath(max))).status).toBe(404)
    expect((await olga.browser.get(`${path}/${await context().runtime.runPromise(newId(UserId))}`)).status).toBe(404)
    expect(await shown(max.browser.get(removePath(max)))).toContain("Leave this organization?")
    const left = await max.browser.submit(removePath(max), removePath(max), {})
    expect([left.status, left.headers.get("location"), await roleOf(max)]).toEqual([303, "/", undefined])
    expect([await roleOf(olga), await roleOf(mia), await roleOf(ada)]).toEqual(["owner", "member", "admin"])
  })

  it("invites by a link that is shown once, with which somebody joins in that role", async () => {
    const { kept, owner } = at()
    const { browser, user } = await owner()
    expect(await shown(browser.get(path))).toContain("Nobody is invited at present.")
    const answer = await browser.submit(invitePath, invitePath, { email: "New@Example.com", role: "admin" })
    const html = await answer.text()
    const secret = secretIn(html, "coppice_iv_")!
    expect([answer.status, answer.headers.get("cache-control"), answer.headers.get("location")]).toEqual([200, "no-store", null])
    expect(html).toContain(`${context().base}/join?token=${secret}`)
    expect(await shown(browser.get(path))).toMatch(new RegExp(`new@example\\.com admin ${user.name} in 7 days Revoke`))
    for (const page of [path, invitePath, "/settings/audit"]) expect(await (await browser.get(page)).text()).not.toContain(secret)
    expect(kept()).not.toContain(secret)
    const newcomer = makeBrowser(context())
    const password = "another horse battery"
    const joined = await newcomer.submit(`/join?token=${secret}`, "/join", { name: "Nia", password, again: password })
    expect(joined.status).toBe(303)
    expect((await newcomer.get("/settings/audit")).status).toBe(200)
    const after = await shown(browser.get(path))
    expect(after).toContain("Nia new@example.com admin")
    expect(after).toContain("Nobody is invited at present.")
  })

  it("says at each field of an invitation what is wrong with it, and keeps what was filled in", async () => {
    const { colleague, owner } = at()
    const olga = await owner()
    const max = await colleague(olga, "member", "Max")
    const { size } = context().database.invitations
    for (const [field, fields, kept] of [
      ["email", { email: "nobody", role: "admin" }, /value="admin"[^>]* checked/],
      ["email", { email: max.user.email, role: "member" }, new RegExp(`value="${max.user.email}"`)],
      ["role", { email: "a@example.com", role: "owner" }, /value="a@example\.com"/],
      ["role", { email: "a@example.com" }, /value="a@example\.com"/]
    ] as const) {
      const answer = await olga.browser.submit(invitePath, invitePath, fields)
      const html = await answer.text()
      expect([field, answer.status]).toEqual([field, 400])
      expect(faultAt(html, field)).toBeTruthy()
      expect(html).toMatch(kept)
    }
    expect(context().database.invitations.size).toBe(size)
  })

  it("takes an invitation back: its link works no more", async () => {
    const { colleague, kept, owner } = at()
    const olga = await owner()
    const html = await (await olga.browser.submit(invitePath, invitePath, { email: "gone@example.com", role: "member" })).text()
    const link = `/join?token=${secretIn(html, "coppice_iv_")}`
    const { id } = [...context().database.invitations.values()].at(-1)!.invitation
    const action = `${path}/invitations/${id}/revoke`
    const stranger = await owner("Stan")
    const max = await colleague(olga, "member", "Max")
    expect((await stranger.browser.post(action, tokenFor(stranger.browser, action))).status).toBe(404)
    expect((await max.browser.post(action, tokenFor(max.browser, action))).status).toBe(403)
    expect((await olga.browser.post(action, {})).status).toBe(403)
    for (const other of [await context().runtime.runPromise(newId(InvitationId)), "no-id"]) {
      const to = `${path}/invitations/${other}/revoke`
      expect((await olga.browser.post(to, tokenFor(olga.browser, to))).status).toBe(404)
    }
    expect((await makeBrowser(context()).get(link)).status).toBe(200)
    const done = await olga.browser.submit(path, action, {})
    expect([done.status, done.headers.get("location")]).toEqual([303, `${path}?notice=invitation-revoked`])
    expect((await makeBrowser(context()).get(link)).status).toBe(404)
    expect(kept()).toContain("\"member.invitation_revoked\"")
    expect(await shown(olga.browser.get("/settings/audit"))).toContain("took back the invitation of gone@example.com")
  })

  it("C1: takes no form that another page made", async () => {
    const { colleague, owner, roleOf } = at()
    const olga = await owner()
    const [max, mia] = [await colleague(olga, "member", "Max"), await colleague(olga, "member", "Mia")]
    const fields = olga.browser.hidden(await (await olga.browser.get(removePath(max))).text(), removePath(max))
    expect((await olga.browser.post(removePath(mia), fields)).status).toBe(403)
    expect((await olga.browser.post(rolePath(max), { ...fields, role: "admin" })).status).toBe(403)
    expect((await olga.browser.post(removePath(max), fields, { origin: "https://evil.example" })).status).toBe(403)
    expect([await roleOf(max), await roleOf(mia)]).toEqual(["member", "member"])
  })
}, manyRegistrations)
