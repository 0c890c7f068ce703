import { browserSessionLimits, hashSecret, signInLimits } from "@coppice/core"
import { DateTime } from "effect"
import { expect, it } from "vitest"
import { addPerson, makeBrowser } from "./support/browser.ts"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"

const password = "correct horse battery"

/** What the log of a test's organization says. */
const actionsOf = ({ database }: MatrixContext, organizationId: string) =>
  [...database.auditEntries.values()].filter((entry) => entry.organizationId === organizationId).map(({ action }) => action)

const until = async (look: () => boolean) => {
  for (let tries = 0; tries < 500 && !look(); tries++) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(look()).toBe(true)
}

describeMatrix("sign-in page", (context) => {
  const isIn = async (browser: ReturnType<typeof makeBrowser>) => (await browser.get("/settings/account")).status === 200

  it("signs a person in, by the address in any case, and out again", async () => {
    const browser = makeBrowser(context())
    const user = await addPerson(context(), "ann@example.com", password)
    const first = await browser.get("/settings/account")
    expect([first.status, first.headers.get("location")]).toEqual([303, "/login?return=%2Fsettings%2Faccount"])
    const entered = await browser.login(" Ann@Example.com ", password)
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"])
    expect(await isIn(browser)).toBe(true)
    const left = await browser.submit("/settings/account", "/logout", {})
    expect([left.status, left.headers.get("location")]).toEqual([303, "/login?notice=signed-out"])
    expect(await isIn(browser)).toBe(false)
    expect(actionsOf(context(), user.activeOrganizationId)).toEqual(["user.signed_in", "user.signed_out"])
  })

  it("comes back to the page that was asked for", async () => {
    const browser = makeBrowser(context())
    await addPerson(context(), "back@example.com", password)
    const { headers } = await browser.get("/settings/account?notice=x")
    const location = headers.get("location")!
    const entered = await browser.submit(location, "/login", { email: "back@example.com", password })
    expect(entered.headers.get("location")).toBe("/settings/account?notice=x")
    expect((await browser.get(location)).headers.get("location")).toBe("/settings/account?notice=x")
  })

  it("C5: makes a new session at each sign-in; the one before is over, and so is a cookie that was planted", async () => {
    const browser = makeBrowser(context())
    await addPerson(context(), "eve@example.com", password)
    await browser.login("eve@example.com", password)
    const before = browser.cookies.get("coppice_session")!
    // Another tab still has the form of a browser in which nobody is signed in.
    const other = makeBrowser(context())
    const page = await (await other.get("/login")).text()
    other.cookies.set("coppice_session", before)
    await other.post("/login", { ...other.hidden(page, "/login"), email: "eve@example.com", password })
    const after = other.cookies.get("coppice_session")!
    expect(after).not.toBe(before)
    expect(await isIn(other)).toBe(true)
    expect(await isIn(browser)).toBe(false)
    const fixed = makeBrowser(context())
    fixed.cookies.set("coppice_session", "coppice_bs_planted")
    expect(await isIn(fixed)).toBe(false)
    expect(context().database.browserSessions.size).toBeGreaterThan(0)
    for (const { hash } of context().database.browserSessions.values()) expect(hash).not.toContain("coppice_bs_")
    expect([...context().database.browserSessions.values()].some(({ hash }) => hash === hashSecret("browserSession", after))).toBe(true)
  })

  it("C13: refuses whoever it is in the same words, and writes down only what concerns a user", async () => {
    const browser = makeBrowser(context())
    const bob = await addPerson(context(), "bob@example.com", password)
    await addPerson(context(), "keyonly@example.com")
    const answers = []
    for (const [email, tried] of [
      ["bob@example.com", "wrong wrong"], ["nobody@example.com", password], ["keyonly@example.com", password],
      ["keyonly@example.com", ""], ["bob@example.com", ""], ["bob@example.com", "x".repeat(50_000)], ["", ""]
    ] as const) {
      const response = await browser.login(email, tried)
      expect([response.status, response.headers.get("retry-after")]).toEqual([401, null])
      answers.push((await response.text()).replaceAll(email === "" ? "\u0000" : email, "").replace(/value="[^"]*"/g, ""))
    }
    expect(new Set(answers.slice(0, -1)).size).toBe(1)
    await until(() => actionsOf(context(), bob.activeOrganizationId).length === 3)
    expect(actionsOf(context(), bob.activeOrganizationId)).toEqual(Array(3).fill("user.sign_in_failed"))
  })

  it("takes a password however its letters were composed, with spaces at its ends", async () => {
    await addPerson(context(), "zoe@example.com", " pâsswörd ½ ")
    const browser = makeBrowser(context())
    expect((await browser.login("zoe@example.com", " pâsswörd ½ ".normalize("NFD"))).status).toBe(303)
    expect((await makeBrowser(context()).login("zoe@example.com", "pâsswörd ½")).status).toBe(401)
  })

  it("ends a session that was idle for 14 days, or is 30 days old", async () => {
    const { ahead } = context()
    await addPerson(context(), "idle@example.com", password)
    const browser = makeBrowser(context())
    await browser.login("idle@example.com", password)
    const cookie = (await makeBrowser(context()).login("idle@example.com", password)).headers.getSetCookie()
      .find((field) => field.startsWith("coppice_session="))
    expect(cookie).toContain(`Max-Age=${browserSessionLimits.maxMillis / 1000}`)
    const day = 24 * 60 * 60 * 1000
    const start = ahead.millis
    for (const days of [10, 20, 29]) {
      ahead.millis = start + days * day
      expect(await isIn(browser)).toBe(true)
    }
    ahead.millis = start + 30 * day
    expect(await isIn(browser)).toBe(false)
    await browser.login("idle@example.com", password)
    ahead.millis += 14 * day
    expect(await isIn(browser)).toBe(false)
  })

  it("keeps the 20 newest sign-ins of a user", async () => {
    await addPerson(context(), "many@example.com", password)
    const first = makeBrowser(context())
    await first.login("many@example.com", password)
    for (let count = 1; count < 20; count++) {
      // Attempts are counted; each comes in a window of its own.
      context().ahead.millis += signInLimits.account.windowSeconds * 1000
      await makeBrowser(context()).login("many@example.com", password)
    }
    expect(await isIn(first)).toBe(true)
    context().ahead.millis += signInLimits.account.windowSeconds * 1000
    await makeBrowser(context()).login("many@example.com", password)
    expect(await isIn(first)).toBe(false)
  })

  it("moves who is no member of the active organization to another, and tells who is in none", async () => {
    const { database } = context()
    const ann = await addPerson(context(), "moved@example.com", password)
    const other = await addPerson(context(), "host@example.com", password)
    const browser = makeBrowser(context())
    await browser.login("moved@example.com", password)
    const [memberId, member] = [...database.members].find(([, { userId }]) => userId === ann.id)!
    database.members.set(memberId, { ...member, organizationId: other.activeOrganizationId, role: "member" })
    expect(await (await browser.get("/settings/account")).text()).toContain("Of host@example.com, as member")
    expect(database.users.get(ann.id)!.activeOrganizationId).toBe(other.activeOrganizationId)
    database.members.delete(memberId)
    const nowhere = await browser.get("/settings/account")
    expect(nowhere.status).toBe(403)
    expect(await nowhere.text()).toContain("not a member of any organization")
    expect(DateTime.isDateTime(database.users.get(ann.id)!.updatedAt)).toBe(true)
  })
})

describeMatrix("limits of sign-in", (context) => {
  it("C13: ten attempts at an account in 15 minutes, from wherever, right ones among them; then 429 with Retry-After", async () => {
    const { ahead } = context()
    await addPerson(context(), "ann@example.com", password)
    const browser = makeBrowser(context())
    for (let tries = 0; tries < signInLimits.account.max; tries++) {
      expect((await browser.login(tries % 2 === 0 ? "ann@example.com" : "ANN@example.com", "wrong wrong")).status).toBe(401)
    }
    const slowed = await browser.login("ann@example.com", password)
    expect(slowed.status).toBe(429)
    expect(Number(slowed.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(slowed.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect((await browser.login("other@example.com", password)).status).toBe(401)
    ahead.millis += signInLimits.account.windowSeconds * 1000
    expect((await browser.login("ann@example.com", password)).status).toBe(303)
  })

  it("C13: thirty attempts from an address, at whichever account; an account has all of its own left then", async () => {
    const { ahead, database } = context()
    ahead.millis += signInLimits.address.windowSeconds * 1000
    await addPerson(context(), "bob@example.com", password)
    const browser = makeBrowser(context())
    for (let tries = 0; tries < signInLimits.address.max; tries++) {
      expect((await browser.login(`somebody${tries}@example.com`, "wrong wrong")).status).toBe(401)
    }
    const before = database.windows.size
    expect((await browser.login("bob@example.com", password)).status).toBe(429)
    expect(database.windows.size).toBe(before)
    for (const bucket of database.windows.keys()) expect(bucket).not.toContain("@")
  })
})
