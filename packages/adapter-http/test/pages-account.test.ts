import { expect, it } from "vitest"
import { addPerson, makeBrowser } from "./support/browser.ts"
import { describeMatrix } from "./support/matrix.ts"

const password = "correct horse battery"
const next = "another staple entirely"

describeMatrix("account page", (context) => {
  const isIn = async (browser: ReturnType<typeof makeBrowser>) => (await browser.get("/settings/account")).status === 200
  const enter = async (email: string) => {
    const browser = makeBrowser(context())
    await browser.login(email, password)
    return browser
  }
  const change = (browser: ReturnType<typeof makeBrowser>, present: string, wanted: string, again = wanted) =>
    browser.submit("/settings/account", "/settings/account/password", { present, password: wanted, again })

  it("changes the password of who knows the present one, and signs out the other browsers", async () => {
    await addPerson(context(), "ann@example.com", password)
    const [here, there] = [await enter("ann@example.com"), await enter("ann@example.com")]
    const wrong = await change(here, "wrong wrong", next)
    expect([wrong.status, (await wrong.text()).includes("The present password is wrong.")]).toEqual([400, true])
    expect((await change(here, password, "short")).status).toBe(400)
    expect((await change(here, password, next, `${next} `)).status).toBe(400)
    expect([await isIn(here), await isIn(there)]).toEqual([true, true])
    const done = await change(here, password, next)
    expect(done.headers.get("location")).toBe("/settings/account?notice=password-changed")
    expect(await (await here.get("/settings/account?notice=password-changed")).text()).toContain("Your password is changed.")
    expect([await isIn(here), await isIn(there)]).toEqual([true, false])
    expect((await makeBrowser(context()).login("ann@example.com", password)).status).toBe(401)
    expect((await makeBrowser(context()).login("ann@example.com", next)).status).toBe(303)
  })

  it("says nothing that an address asks it to say", async () => {
    await addPerson(context(), "say@example.com", password)
    const browser = await enter("say@example.com")
    for (const notice of ["Your+account+is+closed", "constructor", "__proto__", "toString"]) {
      expect(await (await browser.get(`/settings/account?notice=${notice}`)).text()).not.toContain("role=\"status\"")
    }
  })

  it("slows down who guesses the present password", async () => {
    await addPerson(context(), "slow@example.com", password)
    context().ahead.millis += 15 * 60_000
    const browser = await enter("slow@example.com")
    for (let tries = 1; tries < 10; tries++) expect((await change(browser, "wrong wrong", next)).status).toBe(400)
    expect((await change(browser, password, next)).status).toBe(429)
    context().ahead.millis += 15 * 60_000
  })

  it("lists where a person is signed in, and signs out one browser of theirs, and of nobody else", async () => {
    await addPerson(context(), "bob@example.com", password)
    await addPerson(context(), "eve@example.com", password)
    const [here, there, eve] = [await enter("bob@example.com"), await enter("bob@example.com"), await enter("eve@example.com")]
    const html = await (await here.get("/settings/account")).text()
    const ids = [...html.matchAll(/name="sessionId" value="([^"]*)"/g)].map(([, id]) => id!)
    expect([ids.length, html.match(/This one/g)?.length]).toEqual([1, 1])
    const evil = await eve.post("/settings/account/sign-out", {
      ...eve.hidden(await (await enterTwice(eve)).text(), "/settings/account/sign-out"), sessionId: ids[0]!
    })
    expect([evil.status, await isIn(there)]).toEqual([303, true])
    const done = await here.submit("/settings/account", "/settings/account/sign-out", { sessionId: ids[0]! })
    expect(done.headers.get("location")).toBe("/settings/account?notice=browser-signed-out")
    expect([await isIn(here), await isIn(there), await isIn(eve)]).toEqual([true, false, true])
    expect((await here.submit("/settings/account", "/settings/account/sign-out-everywhere", {})).status).toBe(303)
  })

  /** The page of who is signed in elsewhere too, so that it has the form. */
  const enterTwice = async (browser: ReturnType<typeof makeBrowser>) => {
    await enter("eve@example.com")
    return browser.get("/settings/account")
  }

  it("signs out everywhere at once", async () => {
    const user = await addPerson(context(), "cat@example.com", password)
    const browsers = [await enter("cat@example.com"), await enter("cat@example.com"), await enter("cat@example.com")]
    const done = await browsers[0]!.submit("/settings/account", "/settings/account/sign-out-everywhere", {})
    expect(done.headers.get("location")).toBe("/login?notice=signed-out-everywhere")
    for (const browser of browsers) expect(await isIn(browser)).toBe(false)
    expect(browsers[0]!.cookies.size).toBe(1)
    const actions = [...context().database.auditEntries.values()].filter(({ actorId }) => actorId === user.id).map(({ action }) => action)
    expect(actions.at(-1)).toBe("user.signed_out_everywhere")
  })
})
