import {
  CurrentPrincipal,
  foundFirst,
  invitationDays,
  inviteMember,
  issuePasswordLink,
  issueSecret,
  type Organization,
  type Role,
  type User
} from "@coppice/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { addPerson, makeBrowser } from "./support/browser.ts"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"

const password = "correct horse battery"

const { hash, secret } = await Effect.runPromise(Effect.provide(issueSecret("setup"), (await import("effect/crypto/SecureRandom")).layerWebCrypto))
const founded: Array<Organization> = []
const setup = { hash, founded: (organization: Organization) => Effect.sync(() => void founded.push(organization)) }

describeMatrix("set-up page", (context) => {
  const path = `/setup?token=${secret}`
  const owner = { name: "Ann", email: "Ann@Example.com", organization: "Home", password, again: password }

  it("lets the first owner in, once, and nobody by another link", async () => {
    founded.length = 0
    const visitor = makeBrowser(context())
    for (const wrong of ["/setup", "/setup?token=", `${path}x`, `/setup?token=coppice_su_${"0".repeat(49)}`]) {
      expect([wrong, (await visitor.get(wrong)).status]).toEqual([wrong, 404])
    }
    expect(await (await visitor.get("/login")).text()).toContain("There is no user yet")
    const [first, second] = [makeBrowser(context()), makeBrowser(context())]
    const answers = await Promise.all([first, second].map((browser) => browser.submit(path, "/setup", owner)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404])
    expect(founded.map(({ name }) => name)).toEqual(["Home"])
    const winner = answers[0]!.status === 303 ? first : second
    expect(await (await winner.get("/settings/account")).text()).toContain("Home, as owner")
    const again = await makeBrowser(context()).get(path)
    expect(again.status).toBe(404)
    expect(await again.text()).toContain("does not work any more")
    expect((await makeBrowser(context()).login("ann@example.com", password)).status).toBe(303)
    expect(await (await makeBrowser(context()).get("/login")).text()).not.toContain("There is no user yet")
    expect([...context().database.auditEntries.values()].map(({ action }) => action)).toContain("organization.founded")
  })
}, { setup })

describeMatrix("set-up page, filled in wrong", (context) => {
  it("says what is wrong with each field, keeps what was right, and makes nothing", async () => {
    const path = `/setup?token=${secret}`
    const browser = makeBrowser(context())
    const right = { name: "Ann", email: "ann@example.com", organization: "Home", password, again: password }
    for (const [change, said] of [
      [{ name: " " }, "Enter a name of 1 to 100 characters."],
      [{ name: "x".repeat(101) }, "Enter a name of 1 to 100 characters."],
      [{ email: "ann" }, "Enter an e-mail address."],
      [{ organization: "" }, "Enter a name of 1 to 100 characters."],
      [{ password: "seven77", again: "seven77" }, "Use 8 characters or more."],
      [{ password: "ﬁﬁ".normalize("NFC"), again: "ﬁﬁ" }, "Use 8 characters or more."],
      [{ password: "x".repeat(257), again: "x".repeat(257) }, "Use 256 characters at the most."],
      [{ again: `${password} ` }, "The two are not the same."]
    ] as const) {
      const response = await browser.submit(path, "/setup", { ...right, ...change })
      const html = await response.text()
      expect([change, response.status]).toEqual([change, 400])
      expect(html).toContain(said)
      expect(html).toContain("aria-invalid=\"true\"")
      expect(html).not.toContain(password)
      if (!("email" in change)) expect(html).toContain("value=\"ann@example.com\"")
    }
    expect(context().database.organizations.size).toBe(0)
    // Eight characters once each ligature is two letters, which is how they are compared.
    expect((await browser.submit(path, "/setup", { ...right, password: "ﬁ".repeat(4), again: "ﬁ".repeat(4) })).status).toBe(303)
    expect((await makeBrowser(context()).login("ann@example.com", "fifififi")).status).toBe(303)
  })

  it("has one first owner, whoever else tries at the same time", async () => {
    context().database.organizations.clear()
    const tryAs = (email: string) => Effect.result(foundFirst({ organizationName: "Home", email, name: "X", password }))
    const [one, two] = await context().runtime.runPromise(Effect.all([tryAs("a@example.com"), tryAs("b@example.com")], { concurrency: 2 }))
    expect([one._tag, two._tag].toSorted()).toEqual(["Failure", "Success"])
  })
}, { setup })

describeMatrix("invitations", (context) => {
  const actAs = <A, E, R>(user: User, role: Role, effect: Effect.Effect<A, E, R | CurrentPrincipal>) =>
    Effect.provideService(effect, CurrentPrincipal, { organizationId: user.activeOrganizationId, userId: user.id, role })
  const invite = (by: User, email: string, role: "admin" | "member" = "member", as: Role = "owner") =>
    context().runtime.runPromise(actAs(by, as, inviteMember({ email, role })))
  const linkOf = async (by: User, email: string) => `/join?token=${(await invite(by, email)).secret}`
  const actions = (user: User) =>
    [...(context() as MatrixContext).database.auditEntries.values()]
      .filter(({ organizationId }) => organizationId === user.activeOrganizationId).map(({ action }) => action)

  it("lets a new person join with a name and a password, once, of two at the same time", async () => {
    const owner = await addPerson(context(), "owner@example.com", password)
    const path = await linkOf(owner, "New@Example.com")
    const [first, second] = [makeBrowser(context()), makeBrowser(context())]
    expect(await (await first.get(path)).text()).toContain("Of owner@example.com")
    const short = await first.submit(path, "/join", { name: "New", password: "short", again: "short" })
    expect(short.status).toBe(400)
    const fields = { name: "New", password, again: password }
    const answers = await Promise.all([first.submit(path, "/join", fields), second.submit(path, "/join", fields)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, expect.toSatisfy((status) => status === 404 || status === 409)])
    expect((await makeBrowser(context()).login("new@example.com", password)).status).toBe(303)
    const used = await makeBrowser(context()).get(path)
    expect([used.status, (await used.text()).includes("This link was used already")]).toEqual([404, true])
    expect(actions(owner)).toEqual(["member.invited", "member.joined", "user.signed_in", "user.signed_in"])
  })

  it("has who has an account already sign in, as the one whom the invitation is for, and join", async () => {
    const owner = await addPerson(context(), "host@example.com", password)
    await addPerson(context(), "guest@example.com", password)
    const other = makeBrowser(context())
    await other.login((await addPerson(context(), "third@example.com", password)).email, password)
    const path = await linkOf(owner, "guest@example.com")
    const wrong = await (await other.get(path)).text()
    expect(wrong).toContain("You are signed in as third@example.com")
    expect((await other.submit(path, "/join", {})).status).toBe(403)
    const guest = makeBrowser(context())
    const toLogin = /href="(\/login\?return=[^"]*)"/.exec(await (await guest.get(path)).text())![1]!
    const entered = await guest.submit(toLogin, "/login", { email: "guest@example.com", password })
    expect(entered.headers.get("location")).toBe(path)
    expect((await guest.submit(path, "/join", {})).status).toBe(303)
    const account = await (await guest.get("/settings/account")).text()
    expect(account).toContain("Of host@example.com, as member")
    // Two organizations now: the menu has a switch.
    const own = [...context().database.organizations.values()].find(({ name }) => name === "Of guest@example.com")!
    const switched = await guest.submit("/settings/account", "/settings/organization", { organizationId: own.id })
    expect(switched.status).toBe(303)
    expect(await (await guest.get("/settings/account")).text()).toContain("Of guest@example.com, as owner")
    const foreign = [...context().database.organizations.values()].find(({ name }) => name === "Of third@example.com")!
    expect((await guest.submit("/settings/account", "/settings/organization", { organizationId: foreign.id })).status).toBe(403)
    expect((await guest.submit("/settings/account", "/settings/organization", { organizationId: "x" })).status).toBe(400)
  })

  it("is over after seven days, and once there is another to the same address", async () => {
    const owner = await addPerson(context(), "late@example.com", password)
    const first = await linkOf(owner, "slow@example.com")
    const second = await linkOf(owner, "slow@example.com")
    expect((await makeBrowser(context()).get(first)).status).toBe(404)
    expect((await makeBrowser(context()).get(second)).status).toBe(200)
    context().ahead.millis += invitationDays * 24 * 60 * 60 * 1000
    expect((await makeBrowser(context()).get(second)).status).toBe(404)
    for (const token of ["", "x", "coppice_iv_x", "%00"]) expect((await makeBrowser(context()).get(`/join?token=${token}`)).status).toBe(404)
  })

  it("is for admins to give, to who is no member", async () => {
    const owner = await addPerson(context(), "chief@example.com", password)
    await expect(invite(owner, "x@example.com", "member", "member")).rejects.toThrow("Only an admin")
    await expect(invite(owner, "chief@example.com")).rejects.toThrow("is a member already")
    const { invitation } = await invite(owner, "later@example.com", "admin", "admin")
    expect(invitation.role).toBe("admin")
  })

  it("sets a password by the operator's link alone: no admin's invitation opens an account that is there", async () => {
    const keyOnly = await addPerson(context(), "keyonly@example.com")
    const admin = await addPerson(context(), "mallory@example.com", password)
    const path = await linkOf(admin, "keyonly@example.com")
    const browser = makeBrowser(context())
    expect(await (await browser.get(path)).text()).not.toContain("name=\"password\"")
    await browser.submit(path, "/join", { password: "mallory's own", again: "mallory's own" })
    expect((await makeBrowser(context()).login("keyonly@example.com", "mallory's own")).status).toBe(401)

    const issued = await context().runtime.runPromise(issuePasswordLink(keyOnly))
    const own = `/join?token=${issued.secret}`
    const page = await (await browser.get(own)).text()
    expect(page).toContain("Set your password")
    expect((await browser.submit(own, "/join", { password: "x", again: "x" })).status).toBe(400)
    expect((await browser.submit(own, "/join", { password, again: password })).status).toBe(303)
    expect((await makeBrowser(context()).get(own)).status).toBe(404)
    const elsewhere = makeBrowser(context())
    expect((await elsewhere.login("keyonly@example.com", password)).status).toBe(303)
    // A later link, for who forgot: it signs out whoever was in.
    const again = await context().runtime.runPromise(issuePasswordLink(keyOnly))
    expect((await browser.submit(`/join?token=${again.secret}`, "/join", { password: `${password}2`, again: `${password}2` })).status).toBe(303)
    expect((await elsewhere.get("/settings/account")).status).toBe(303)
    expect(actions(keyOnly)).toContain("user.password_changed")
  })
})
