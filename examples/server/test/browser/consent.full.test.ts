import { createHash, randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { describeInChromium, newPerson } from "./chromium.ts"
import { otherSite } from "./other-site.ts"
import { password, serviceWithOwner as service, signIn } from "./owner.ts"

/** A client registered for an address, and where it sends people. */
const registered = async (base: string, redirectUri: string, name = "Claude") => {
  const response = await fetch(`${base}/api/auth/oauth2/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" })
  })
  const { client_id: clientId } = await response.json() as { readonly client_id: string }
  const verifier = randomBytes(32).toString("base64url")
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state: "st&te",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256"
  })
  const exchange = (code: string) =>
    fetch(`${base}/api/auth/oauth2/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code", code, redirect_uri: redirectUri, client_id: clientId, code_verifier: verifier
      })
    })
  return { authorize: `${base}/api/auth/oauth2/authorize?${query}`, exchange }
}

describeInChromium("consent in Chromium", () => {
  test.each([{ script: true }, { script: false }])("is asked for after signing in, and sends the code back; script: $script", async ({ script }) => {
    const base = await service()
    const client = await otherSite()
    const { authorize, exchange } = await registered(base, `${client.url}/callback`)
    const { complaints, page } = await newPerson({ javaScriptEnabled: script })
    await page.goto(authorize)
    expect(new URL(page.url()).pathname).toBe("/login")
    await signIn(page)
    expect(new URL(page.url()).pathname).toBe("/consent")
    expect(await page.textContent(".client")).toContain("Claude")
    expect(await page.textContent(".host")).toBe(`localhost:${client.port}`)
    expect(await page.textContent("main")).toContain("runs on this computer")
    const consent = page.url()
    await page.click("text=Allow >> nth=-1")
    await page.waitForURL(`${client.url}/callback?**`)
    const answer = client.seen.find(({ pathname }) => pathname === "/callback")!.searchParams
    expect([answer.get("state"), answer.get("iss")]).toEqual(["st&te", base])
    expect((await exchange(answer.get("code")!)).status).toBe(200)
    expect(client.headers[client.seen.findIndex(({ pathname }) => pathname === "/callback")]!.referer).toBeUndefined()
    await page.goto(consent)
    expect(await page.textContent("main")).toContain("nothing to decide here any more")
    expect(complaints).toEqual([])
  })

  test("leads back with a no, and to each of the loopback addresses that a client may have", async () => {
    const base = await service()
    const { page } = await newPerson()
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const client = await otherSite(undefined, host === "[::1]" ? "::1" : undefined)
      const { authorize } = await registered(base, `http://${host}:${client.port}/callback`)
      await page.goto(authorize)
      if (new URL(page.url()).pathname === "/login") await signIn(page)
      await page.click("text=Deny")
      await page.waitForURL(`http://${host}:${client.port}/callback?**`)
      expect(client.seen[0]!.searchParams.get("error")).toBe("access_denied")
    }
  })

  test("C1, C2, C3: another site can neither frame it, nor answer it, nor sign anybody in", async () => {
    const base = await service()
    const client = await otherSite()
    const { authorize } = await registered(base, `${client.url}/callback`)
    const { page, context } = await newPerson()
    await page.goto(`${base}/login`)
    await signIn(page)
    await page.goto(authorize)
    const consent = page.url()

    const framing = await otherSite(`<iframe id="f" src="${consent}"></iframe><iframe src="${base}/login"></iframe>`)
    const other = await context.newPage()
    await other.goto(framing.url)
    for (const frame of other.frames().slice(1)) expect(await frame.content()).not.toContain("form_token")

    const sending = async (action: string, fields: Readonly<Record<string, string>>) => {
      const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`).join("")
      const evil = await otherSite(`<form method="post" action="${action}">${inputs}<button>Win</button></form>`)
      await other.goto(evil.url)
      const sent = other.waitForResponse((response) => response.request().method() === "POST")
      await other.click("button")
      return (await sent).status()
    }
    const token = await page.inputValue("main [name=form_token]")
    const organizationId = await page.inputValue("main [name=organizationId]")
    // Even one that had found out the token; and the person stays signed in.
    expect(await sending(consent, { form_token: token, organizationId, decision: "allow" })).toBe(403)
    expect(client.seen.filter(({ pathname }) => pathname === "/callback")).toEqual([])
    expect(await sending(`${base}/login`, { email: "ann@example.com", password })).toBe(403)

    // The same address, in a browser of somebody else's.
    const copied = await newPerson()
    await copied.page.goto(`${base}/login`)
    await signIn(copied.page)
    await copied.page.goto(consent)
    expect(await copied.page.textContent("main")).toContain("nothing to decide here any more")
    await page.click("text=Allow >> nth=-1")
    await page.waitForURL(`${client.url}/callback?**`)
  })

  test("C4, C6: is decided once, and by whom it was shown to", async () => {
    const base = await service()
    const client = await otherSite()
    const { authorize } = await registered(base, `${client.url}/callback`)
    const { context, page } = await newPerson()
    await page.goto(`${base}/login`)
    await signIn(page)
    await page.goto(authorize)
    const second = await context.newPage()
    await second.goto(page.url())
    // In a third tab the person signs out and in again: the two forms are of a sign-in that is over.
    const third = await context.newPage()
    const cookies = (await context.cookies()).filter(({ name }) => name === "coppice_visit")
    await third.goto(`${base}/settings/account`)
    await third.click("details.account summary")
    await third.click("details.account >> text=Sign out")
    await context.addCookies(cookies)
    await third.goto(`${base}/login`)
    await signIn(third)
    await second.click("text=Allow >> nth=-1")
    expect(await second.textContent("h1")).toBe("That is not allowed")
    await page.reload()
    await second.goto(page.url())
    await page.click("text=Allow >> nth=-1")
    await page.waitForURL(`${client.url}/callback?**`)
    await second.click("text=Allow >> nth=-1")
    expect(await second.textContent("main")).toContain("nothing to decide here any more")
    expect(client.seen.filter(({ pathname }) => pathname === "/callback").length).toBe(1)
  })
})
