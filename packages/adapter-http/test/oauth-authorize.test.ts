import { describeAuthorization, type User } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { DateTime, Effect } from "effect"
import { expect, it } from "vitest"
import { addPerson, makeBrowser } from "./support/browser.ts"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { challenge, type Fields, makeOAuth, manyRegistrations, oauth, redirectUri, type Tokens } from "./support/oauth.ts"

const located = (response: Response) => new URL(response.headers.get("location")!)

const justIn = ({ id }: User) => ({ userId: id, authenticatedAt: DateTime.nowUnsafe() })

describeMatrix("the authorization endpoint", (context) => {
  it(verifies("authorize.get-302", "authorize.response-type-code", "authorize.client-id", "authorize.redirect-uri",
    "authorize.code-challenge", "authorize.code-challenge-method-s256", "authorize.scope", "authorize.state")
    + "sends the browser on to consent, once, with a cookie to know it by", async () => {
    const { base, database } = context()
    const { authorize, register, requestIn, visitOf } = makeOAuth(context())
    const { client_id } = await register()
    const browser = makeBrowser(context())
    const response = await authorize(client_id, { scope: "openid email", nonce: "n" }, browser)
    expect([response.status, await response.text()]).toEqual([302, ""])
    expect(response.headers.get("location")).toMatch(new RegExp(`^${base}/consent\\?request=[0-9a-f-]{36}$`))
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.get("referrer-policy")).toBe("no-referrer")
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^coppice_visit=coppice_bv_\w+; .*HttpOnly.*SameSite=Lax/)])
    const { request } = database.authorizationRequests.get(requestIn(response.headers.get("location")) as never)!
    expect(request).toMatchObject({
      clientId: client_id,
      redirectUri,
      scope: ["openid", "email"],
      resource: base,
      codeChallenge: challenge,
      state: "s",
      nonce: "n",
      issuer: base,
      visit: visitOf(browser)
    })
    const again = await authorize(client_id, {}, browser)
    expect([again.status, again.headers.getSetCookie()]).toEqual([302, []])
    expect(database.authorizationRequests.get(requestIn(again.headers.get("location")) as never)!.request.visit).toBe(request.visit)
  })

  it("A1, R1, R2, R9: shows a page, and sends nothing anywhere, where client and redirect URI do not belong together", async () => {
    const { database } = context()
    const { authorize, register } = makeOAuth(context())
    const { client_id } = await register({ redirect_uris: [redirectUri, "https://app.example/other"] })
    const before = database.authorizationRequests.size
    const cases: ReadonlyArray<readonly [string, Fields]> = [
      ["", {}],
      ["nobody", {}],
      ["0198c5a0-1111-7222-8333-44445f3f9a21", {}],
      [client_id, { redirect_uri: undefined }],
      [client_id, { redirect_uri: "https://evil.example/cb" }],
      [client_id, { redirect_uri: `${redirectUri}/` }],
      [client_id, { redirect_uri: `${redirectUri}?a=b` }],
      [client_id, { redirect_uri: "https://app.example/%63b" }],
      [client_id, { redirect_uri: "javascript:alert(1)" }],
      [client_id, { redirect_uri: redirectUri, state: "\u0000" }]
    ]
    for (const [id, fields] of cases) {
      const response = await authorize(id, fields)
      expect([id, fields, response.status, response.headers.get("location")]).toEqual([id, fields, 400, null])
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
      // C2, C12.
      expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
      expect(response.headers.get("x-frame-options")).toBe("DENY")
      expect(response.headers.get("cache-control")).toBe("no-store")
      expect(response.headers.get("referrer-policy")).not.toBeNull()
      const html = await response.text()
      expect(html).toContain("<!doctype html>")
      expect(html).not.toContain("evil.example")
      expect(html).not.toContain("javascript:")
    }
    expect(database.authorizationRequests.size).toBe(before)
  })

  it("A4: shows a page where client_id or redirect_uri is there twice, and redirects for any other", async () => {
    const { fetch } = context()
    const { query, register } = makeOAuth(context())
    const { client_id } = await register()
    const send = (more: string) => fetch(`${oauth}/authorize?${query(client_id)}&${more}`, { redirect: "manual" })
    for (const more of [`client_id=${client_id}`, `redirect_uri=${encodeURIComponent(redirectUri)}`]) expect((await send(more)).status).toBe(400)
    for (const more of ["scope=openid&scope=email", "code_challenge=x", "response_type=code", "state=t"]) {
      const response = await send(more)
      expect([more, response.status, located(response).searchParams.get("error")]).toEqual([more, 302, "invalid_request"])
      expect(located(response).searchParams.get("state")).toBe(more === "state=t" ? null : "s")
    }
  })

  it("A2, A3, A5, A6, A8, A9, K3: tells the client of any other fault, with its state and the issuer", async () => {
    const { base } = context()
    const { authorize, register } = makeOAuth(context())
    const { client_id } = await register({ redirect_uris: [`${redirectUri}?a=b`] })
    const cases: ReadonlyArray<readonly [Fields, string]> = [
      [{ response_type: undefined }, "invalid_request"],
      [{ response_type: "token" }, "unsupported_response_type"],
      [{ code_challenge: undefined }, "invalid_request"],
      [{ code_challenge_method: undefined }, "invalid_request"],
      [{ code_challenge_method: "plain" }, "invalid_request"],
      [{ code_challenge: "short" }, "invalid_request"],
      [{ request: "x" }, "request_not_supported"],
      [{ request_uri: "https://app.example/r" }, "request_uri_not_supported"],
      [{ resource: "https://evil.example" }, "invalid_target"],
      [{ prompt: "none" }, "login_required"]
    ]
    for (const [fields, error] of cases) {
      const response = await authorize(client_id, { redirect_uri: `${redirectUri}?a=b`, ...fields })
      const { origin, pathname, searchParams } = located(response)
      expect([fields, response.status, origin + pathname]).toEqual([fields, 302, redirectUri])
      expect(Object.fromEntries(searchParams)).toEqual({ a: "b", error, error_description: expect.any(String), state: "s", iss: base })
      expect(searchParams.getAll("iss")).toEqual([base])
    }
  })

  it("A9: tells a client that asks for no person apart who is signed in and who is not", async () => {
    const { authorize, register } = makeOAuth(context())
    const { client_id } = await register()
    const email = `${client_id}@example.com`
    await addPerson(context(), email, "correct horse battery")
    const browser = makeBrowser(context())
    await browser.login(email, "correct horse battery")
    const response = await authorize(client_id, { prompt: "none" }, browser)
    expect(located(response).searchParams.get("error")).toBe("consent_required")
  })

  it("A7: brings back any state as it was, and none where there was none", async () => {
    const { authorize, register } = makeOAuth(context())
    const { client_id } = await register()
    for (const state of ["&=#%+ ü\u{1f600}\n", "x".repeat(2048), "%00", undefined]) {
      const response = await authorize(client_id, { state, prompt: "none" })
      expect(located(response).searchParams.get("state")).toBe(state ?? null)
    }
  })

  it("R3: takes a loopback redirect URI with another port than the registered one", async () => {
    const { authorize, register } = makeOAuth(context())
    const { client_id } = await register({ redirect_uris: ["http://127.0.0.1:3334/cb"] })
    expect(located(await authorize(client_id, { redirect_uri: "http://127.0.0.1:40123/cb" })).pathname).toBe("/consent")
    for (const near of ["http://localhost:3334/cb", "https://127.0.0.1:3334/cb", "http://127.0.0.1:3334/cb/"]) {
      expect((await authorize(client_id, { redirect_uri: near })).status).toBe(400)
    }
  })

  it("A13: is for GET alone, and closed to pages of other sites", async () => {
    const { fetch } = context()
    const posted = await fetch(`${oauth}/authorize`, { method: "POST", body: "x" })
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
    const { authorize, register } = makeOAuth(context())
    const response = await authorize((await register()).client_id)
    expect(response.headers.get("access-control-allow-origin")).toBeNull()
  })
}, manyRegistrations)

describeMatrix("what a person decides", (context: () => MatrixContext) => {
  it(verifies("authorize.redirects-with-code-and-state") + "A8, R10, C11: goes to the client with code, state and issuer, or with access_denied", async () => {
    const { base, database } = context()
    const { authorize, decide, newPerson, register, requestIn } = makeOAuth(context())
    const { client_id } = await register({ redirect_uris: [`${redirectUri}?a=b`], client_name: "Agent" })
    const person = await newPerson()
    for (const approve of [true, false]) {
      const browser = makeBrowser(context())
      const begun = await authorize(client_id, { redirect_uri: `${redirectUri}?a=b`, state: "&=ü" }, browser)
      const url = await decide(requestIn(begun.headers.get("location")), browser, person, approve)
      expect(Object.fromEntries(url.searchParams)).toEqual({
        a: "b",
        ...approve
          ? { code: expect.stringMatching(/^coppice_ac_/) }
          : { error: "access_denied", error_description: expect.any(String) },
        state: "&=ü",
        iss: base
      })
    }
    const entries = [...database.auditEntries.values()].filter(({ organizationId }) => organizationId === person.activeOrganizationId)
    expect(entries.map(({ action, actorId, subject }) => [action, actorId, subject])).toEqual([
      ["grant.approved", person.id, "Agent"],
      ["grant.denied", person.id, "Agent"]
    ])
  })

  it("C4: counts once, however often and however fast it is sent", async () => {
    const { database } = context()
    const { authorize, decide, newPerson, register, requestIn } = makeOAuth(context())
    const { client_id } = await register()
    const [browser, person] = [makeBrowser(context()), await newPerson()]
    const requestId = requestIn((await authorize(client_id, {}, browser)).headers.get("location"))
    const before = database.grants.size
    const decided = await Promise.allSettled(Array.from({ length: 8 }, () => decide(requestId, browser, person)))
    expect(decided.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    expect(database.grants.size).toBe(before + 1)
    await expect(decide(requestId, browser, person, false)).rejects.toMatchObject({ code: "NOT_FOUND" })
  })

  it("C3, C6: is for the browser and the person who came first, and for ten minutes", async () => {
    const { ahead, database } = context()
    const { authorize, decide, newPerson, register, requestIn } = makeOAuth(context())
    const { client_id } = await register()
    const [browser, other] = [makeBrowser(context()), makeBrowser(context())]
    const [person, stranger] = [await newPerson(), await newPerson()]
    const requestId = requestIn((await authorize(client_id, {}, browser)).headers.get("location"))
    await authorize(client_id, {}, other)
    const before = database.grants.size
    await expect(decide(requestId, other, person)).rejects.toMatchObject({ code: "NOT_FOUND" })
    const denied = await decide(requestIn((await authorize(client_id, {}, browser)).headers.get("location")), browser, person, false)
    expect(denied.searchParams.get("error")).toBe("access_denied")
    await context().runtime.runPromise(describeAuthorization(requestId, makeOAuth(context()).visitOf(browser), justIn(person)))
    await expect(decide(requestId, browser, stranger)).rejects.toMatchObject({ code: "NOT_FOUND" })
    ahead.millis += 600_000
    await expect(decide(requestId, browser, person)).rejects.toMatchObject({ code: "NOT_FOUND" })
    expect(database.grants.size).toBe(before)
  })

  it.each([{ prompt: "login" }, { max_age: "0" }, { prompt: "consent login", max_age: "3600" }])(
    "has to be that of somebody who signed in as late as %o asks for, whoever was signed in before",
    async (fields) => {
      const { runtime } = context()
      const { authorize, decide, newPerson, redeem, register, requestIn, visitOf } = makeOAuth(context())
      const { client_id } = await register()
      const [browser, before, after] = [makeBrowser(context()), await newPerson(), await newPerson()]
      const early = await runtime.runPromise(DateTime.now)
      context().ahead.millis += 1000
      const requestId = requestIn((await authorize(client_id, fields, browser)).headers.get("location"))
      const described = describeAuthorization(requestId, visitOf(browser), { userId: before.id, authenticatedAt: early })
      expect(await runtime.runPromise(Effect.flip(described))).toMatchObject({ _tag: "SignInAgain", code: "UNAUTHORIZED" })
      for (const approve of [true, false]) {
        await expect(decide(requestId, browser, before, approve, early)).rejects.toMatchObject({ _tag: "SignInAgain" })
      }
      context().ahead.millis += 1000
      const late = await runtime.runPromise(DateTime.now)
      const url = await decide(requestId, browser, after, true, late)
      const tokens = await (await redeem(client_id, url.searchParams.get("code")!)).json() as Tokens
      const claims = JSON.parse(Buffer.from(tokens.id_token!.split(".")[1]!, "base64url").toString()) as Record<string, unknown>
      expect(claims).toMatchObject({ sub: after.id, auth_time: Math.floor(DateTime.toEpochMillis(late) / 1000) })
    }
  )

  it("may be that of somebody who signed in within max_age", async () => {
    const { authorize, decide, newPerson, register, requestIn } = makeOAuth(context())
    const { client_id } = await register()
    const [browser, person] = [makeBrowser(context()), await newPerson()]
    const early = await context().runtime.runPromise(DateTime.now)
    context().ahead.millis += 30_000
    const begin = async (max_age: string) => requestIn((await authorize(client_id, { max_age }, browser)).headers.get("location"))
    await expect(decide(await begin("20"), browser, person, true, early)).rejects.toMatchObject({ _tag: "SignInAgain" })
    expect((await decide(await begin("40"), browser, person, true, early)).searchParams.get("code")).not.toBeNull()
  })

  it("does not count for an organization that they are no member of", async () => {
    const { authorize, decide, newPerson, register, requestIn } = makeOAuth(context())
    const { client_id } = await register()
    const [browser, person, other] = [makeBrowser(context()), await newPerson(), await newPerson()]
    const requestId = requestIn((await authorize(client_id, {}, browser)).headers.get("location"))
    await expect(decide(requestId, browser, { ...person, activeOrganizationId: other.activeOrganizationId })).rejects.toMatchObject({ code: "FORBIDDEN" })
  })

  it("C9, C10: is on what the client says of itself, made harmless, and on where it leads to", async () => {
    const { base, runtime } = context()
    const { authorize, newPerson, register, requestIn, visitOf } = makeOAuth(context())
    const person = await newPerson()
    const describe = async (metadata: object, fields: Fields = {}) => {
      const { client_id } = await register(metadata)
      const browser = makeBrowser(context())
      const requestId = requestIn((await authorize(client_id, fields, browser)).headers.get("location"))
      return runtime.runPromise(describeAuthorization(requestId, visitOf(browser), justIn(person)))
    }
    expect(await describe({ client_name: "Сlaude\u202e\n<b>" }, { scope: "openid" })).toMatchObject({
      clientName: "Сlaude <b>",
      mixedScript: true,
      redirectHost: "app.example",
      redirectSource: "https://app.example",
      isLoopback: false,
      scope: ["openid"],
      resource: base
    })
    expect(await describe({ client_name: "Agent", redirect_uris: ["http://127.0.0.1:1/cb"] }, { redirect_uri: "http://127.0.0.1:9/cb" })).toMatchObject({
      clientName: "Agent",
      mixedScript: false,
      redirectHost: "127.0.0.1:9",
      isLoopback: true
    })
    expect(await describe({ redirect_uris: ["app:/cb"] }, { redirect_uri: "app:/cb" })).not.toHaveProperty("clientName")
    const nobody = runtime.runPromise(Effect.flip(describeAuthorization("x", visitOf(makeBrowser(context())) ?? "0".repeat(64) as never, justIn(person))))
    expect((await nobody).code).toBe("NOT_FOUND")
  })
}, manyRegistrations)
