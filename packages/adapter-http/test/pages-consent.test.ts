import { beginAuthorization, hashSecret, now, OAuthClientId, newId } from "@coppice/core"
import { OAuthClientStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { addPerson, type Browser, makeBrowser } from "./support/browser.ts"
import { describeMatrix } from "./support/matrix.ts"

const password = "correct horse battery"

describeMatrix("consent page", (context) => {
  /** A client, and its request as the authorization endpoint keeps it for a browser; answers where that sends the browser. */
  const ask = (browser: Browser, client: { name?: string; redirectUri?: string; scope?: string; more?: Record<string, string> } = {}) => {
    const { name = "Claude", redirectUri = "https://client.example/callback?a=b", scope = "openid profile" } = client
    return context().runtime.runPromise(Effect.gen(function*() {
      const at = yield* now
      const id = yield* newId(OAuthClientId)
      yield* (yield* OAuthClientStore).register({
        id, name, redirectUris: [redirectUri], grantTypes: ["authorization_code", "refresh_token"], authMethod: "none", createdAt: at, updatedAt: at
      })
      const query = new URLSearchParams({
        response_type: "code", client_id: id, redirect_uri: redirectUri, scope, state: "st&te",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256", ...client.more
      })
      const visit = hashSecret("browserVisit", browser.cookies.get("coppice_visit")!)!
      const step = yield* beginAuthorization({ query: query.toString(), base: context().base, visit, authenticatedAt: undefined })
      if (step._tag !== "Decide") throw new Error(step.url)
      return `/consent?request=${step.requestId}`
    }))
  }
  const enter = async (email: string) => {
    await addPerson(context(), email, password)
    const browser = makeBrowser(context())
    await browser.login(email, password)
    return browser
  }
  const decide = (browser: Browser, path: string, decision: string) => browser.submit(path, path, { decision })
  const grants = () => [...context().database.grants.values()]

  it("C9: shows who asks, where it leads, what for, as whom and where", async () => {
    const browser = await enter("ann@example.com")
    const path = await ask(browser, { scope: "openid email offline_access" })
    const response = await browser.get(path)
    const html = await response.text()
    expect(response.status).toBe(200)
    for (const part of [
      "<bdi>Claude</bdi>", "unverified", "<bdi>client.example</bdi>", "See your e-mail address", "Stay connected", "ann@example.com", "Of ann@example.com"
    ]) expect(html).toContain(part)
    for (const part of ["See your name", "runs on this computer", "mixes letters"]) expect(html).not.toContain(part)
    expect(response.headers.get("content-security-policy")).toContain("form-action 'self' https://client.example;")
    const loopback = await browser.get(await ask(browser, { redirectUri: "http://127.0.0.1:5005/cb" }))
    expect(await loopback.text()).toContain("runs on this computer")
    expect(loopback.headers.get("content-security-policy")).toContain("form-action 'self' http://127.0.0.1:5005;")
    const app = await browser.get(await ask(browser, { redirectUri: "cursor://anysphere/callback" }))
    expect(app.headers.get("content-security-policy")).toContain("form-action 'self' cursor:;")
    expect(await app.text()).toContain("whatever program on this computer opens such addresses")
  })

  it("C10: shows a name that wants to pass for something else as what it is", async () => {
    const browser = await enter("tricked@example.com")
    for (const [name, shown] of [
      ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"],
      ["\"><script>alert(1)</script>", "\">&lt;script>alert(1)&lt;/script>"],
      ["Cl\u202eedua", "Cledua"],
      ["Cla\u200bude\nAllow", "Claude Allow"],
      ["   ", "A program without a name"]
    ] as const) {
      const html = await (await browser.get(await ask(browser, { name }))).text()
      expect(html.replaceAll("&quot;", "\"").replaceAll("&gt;", ">")).toContain(`<bdi>${shown}</bdi>`)
      expect(html).not.toContain("<img src=x")
      expect(html).not.toContain("<script>alert")
    }
    expect(await (await browser.get(await ask(browser, { name: "Сlaude" }))).text()).toContain("mixes letters of different alphabets")
    const long = await (await browser.get(await ask(browser, { name: "x".repeat(10_000) }))).text()
    expect(long).toMatch(/<bdi>x{1,100}…<\/bdi>/)
  })

  it("sends whoever signed in too long ago for the client to do so again, as anybody, and has that person decide", async () => {
    const { ahead } = context()
    await addPerson(context(), "later@example.com", password)
    const browser = await enter("earlier@example.com")
    const early = browser.cookies.get("coppice_session")
    ahead.millis += 60_000
    const path = await ask(browser, { more: { prompt: "login" } })
    const sent = await browser.get(path)
    expect([sent.status, sent.headers.get("location")]).toEqual([303, `/login?notice=again&return=${encodeURIComponent(path)}`])
    const login = sent.headers.get("location")!
    expect(await (await browser.get(login)).text()).toContain("asks you to sign in again")
    ahead.millis += 1000
    const entered = await browser.submit(login, "/login", { email: "later@example.com", password })
    expect([entered.status, entered.headers.get("location")]).toEqual([303, path])
    expect(browser.cookies.get("coppice_session")).not.toBe(early)
    expect(await (await browser.get(path)).text()).toContain("later@example.com")
    const decided = await decide(browser, path, "allow")
    expect(new URL(decided.headers.get("location")!).searchParams.get("code")).toMatch(/^coppice_ac_/)
    // Without being asked to, who is signed in signs in no second time.
    expect((await browser.get(`/login?return=${encodeURIComponent(path)}`)).status).toBe(303)
    expect((await browser.get(await ask(browser, { more: { max_age: "3600" } }))).status).toBe(200)
  })

  it("sends the code to the client, once; C4: a second answer finds nothing to decide", async () => {
    const browser = await enter("yes@example.com")
    const path = await ask(browser)
    const fields = { ...browser.hidden(await (await browser.get(path)).text(), path), decision: "allow" }
    const answers = await Promise.all([browser.post(path, fields), browser.post(path, fields)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404])
    const location = new URL(answers.find(({ status }) => status === 303)!.headers.get("location")!)
    expect([location.origin, location.pathname]).toEqual(["https://client.example", "/callback"])
    expect(Object.fromEntries(location.searchParams)).toEqual({
      a: "b", code: expect.stringMatching(/^coppice_ac_/), state: "st&te", iss: context().base
    })
    const user = [...context().database.users.values()].find(({ email }) => email === "yes@example.com")!
    expect(grants().filter(({ userId }) => userId === user.id).map(({ organizationId }) => organizationId)).toEqual([user.activeOrganizationId])
    const after = await browser.get(path)
    expect([after.status, (await after.text()).includes("nothing to decide here any more")]).toEqual([404, true])
    expect(after.headers.get("x-frame-options")).toBe("DENY")
  })

  it("C11: tells the client of a no, with state and issuer, and grants nothing", async () => {
    const browser = await enter("no@example.com")
    const path = await ask(browser)
    const before = grants().length
    const location = new URL((await decide(browser, path, "deny")).headers.get("location")!)
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ error: "access_denied", state: "st&te", iss: context().base })
    expect([grants().length, (await browser.get(path)).status]).toEqual([before, 404])
  })

  it("C1: takes no answer but the one that its own form sends", async () => {
    const browser = await enter("forged@example.com")
    const [path, other] = [await ask(browser), await ask(browser)]
    const before = grants().length
    const own = browser.hidden(await (await browser.get(path)).text(), path)
    for (const [fields, headers] of [
      [{ decision: "allow" }, {}],
      [{ ...own, decision: "allow" }, { origin: "https://evil.example" }],
      [{ ...browser.hidden(await (await browser.get(other)).text(), other), decision: "allow" }, {}]
    ] as const) expect((await browser.post(path, fields, headers)).status).toBe(403)
    // No choice is no yes.
    for (const decision of ["", "yes", "Allow"]) expect((await browser.post(path, { ...own, decision })).status).toBe(200)
    expect(grants().length).toBe(before)
    expect((await browser.post(path, { ...own, decision: "allow" })).status).toBe(303)
  })

  it("C3: is open in the browser alone that the request came from", async () => {
    const browser = await enter("here@example.com")
    const path = await ask(browser)
    const copied = makeBrowser(context())
    await copied.login("here@example.com", password)
    const response = await copied.get(path)
    expect([response.status, (await response.text()).includes("in this browser")]).toEqual([404, true])
    expect((await browser.get(path)).status).toBe(200)
    for (const nonsense of ["/consent", "/consent?request=", "/consent?request=x", "/consent?request=0190a8e4-0000-7000-8000-000000000000"]) {
      expect((await browser.get(nonsense)).status).toBe(404)
    }
  })

  it("waits until somebody has signed in there, and shows it to them", async () => {
    await addPerson(context(), "first@example.com", password)
    const browser = makeBrowser(context())
    await browser.get("/login")
    const path = await ask(browser)
    const sent = await browser.get(path)
    expect(sent.headers.get("location")).toBe(`/login?return=${encodeURIComponent(path)}`)
    const entered = await browser.submit(sent.headers.get("location")!, "/login", { email: "first@example.com", password })
    expect(entered.headers.get("location")).toBe(path)
    expect((await decide(browser, path, "allow")).status).toBe(303)
  })

  it("C6: is nobody else's, once somebody has seen it; a form that was open before another sign-in is refused", async () => {
    const browser = await enter("one@example.com")
    await addPerson(context(), "two@example.com", password)
    const path = await ask(browser)
    const own = browser.hidden(await (await browser.get(path)).text(), path)
    // Another tab of the same browser signs in as somebody else.
    const loginForm = makeBrowser(context())
    loginForm.cookies.set("coppice_visit", browser.cookies.get("coppice_visit")!)
    await loginForm.login("two@example.com", password)
    browser.cookies.set("coppice_session", loginForm.cookies.get("coppice_session")!)
    const before = grants().length
    expect((await browser.post(path, { ...own, decision: "allow" })).status).toBe(403)
    expect((await browser.get(path)).status).toBe(404)
    expect(grants().length).toBe(before)
  })

  it("C7: shows itself anew where the organization was switched since", async () => {
    const { database } = context()
    const browser = await enter("two-homes@example.com")
    const host = await addPerson(context(), "other-home@example.com")
    const user = [...database.users.values()].find(({ email }) => email === "two-homes@example.com")!
    const [id, member] = [...database.members].find(([, { userId }]) => userId === host.id)!
    database.members.set(id, { ...member, userId: user.id, role: "member" })
    const path = await ask(browser)
    const own = browser.hidden(await (await browser.get(path)).text(), path)
    const switched = await browser.submit(path, "/settings/organization", { organizationId: host.activeOrganizationId })
    expect(switched.headers.get("location")).toBe(path)
    const shown = await browser.post(path, { ...own, decision: "allow" })
    const html = await shown.text()
    expect([shown.status, html.includes("Look again")]).toEqual([200, true])
    expect((await browser.post(path, { ...browser.hidden(html, path), decision: "allow" })).status).toBe(303)
    expect(grants().at(-1)!.organizationId).toBe(host.activeOrganizationId)
  })
})
