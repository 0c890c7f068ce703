import { CurrentPrincipal, inviteMember, type User } from "@coppice/core"
import { Effect } from "effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import Provider from "oidc-provider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openIdConnect } from "../src/index.ts"
import { makeService, type Service } from "./support/service.ts"
import { addPerson, makeBrowser } from "./support/browser.ts"

const base = "http://127.0.0.1:4280"

/** Whom the other service vouches for at the moment, by its own id of them. */
interface Account {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

/** A real provider, at which whoever comes is signed in as `account`. */
const makeProvider = async () => {
  const state: { account: Account; deny: boolean } = { account: {}, deny: false }
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [{
      client_id: "coppice",
      client_secret: "sesame",
      redirect_uris: [`${base}/login/corp/callback`, `${base}/login/twin/callback`],
      token_endpoint_auth_method: "client_secret_post"
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    pkce: { required: () => true },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...state.account }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` }
  })
  const callback = provider.callback()
  server.on("request", async (request, response) => {
    if (!request.url!.startsWith("/interaction/")) return void callback(request, response)
    const { params, prompt, session } = await provider.interactionDetails(request, response)
    if (state.deny) {
      return void provider.interactionFinished(request, response, { error: "access_denied", error_description: "No." })
    }
    if (prompt.name === "login") {
      return void provider.interactionFinished(request, response, { login: { accountId: crypto.randomUUID() } })
    }
    const grant = new provider.Grant({ accountId: session!.accountId, clientId: params["client_id"] as string })
    grant.addOIDCScope("openid email profile")
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  })
  return { issuer, state, close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))) }
}

describe("signing in with another service", () => {
  let other: Awaited<ReturnType<typeof makeProvider>>
  let service: Service
  let context: Service & { base: string; fetch: (path: string, init?: RequestInit) => Promise<Response> }
  beforeAll(async () => {
    other = await makeProvider()
    const options = { name: "Corp", issuer: other.issuer, clientId: "coppice" }
    service = await makeService({
      identityProviders: [
        openIdConnect({ ...options, id: "corp", clientSecret: "sesame" }),
        openIdConnect({ ...options, id: "twin", clientSecret: "wrong" }),
        openIdConnect({ ...options, id: "gone", issuer: "http://127.0.0.1:9" })
      ]
    })
    context = { ...service, base, fetch: (path, init) => service.app.fetch(new Request(base + path, init)) }
  })
  afterAll(async () => {
    await service.runtime.dispose()
    await other.close()
  })

  /** Follows the other service's redirects until it sends the browser back; answers that address. */
  const visit = async (url: string): Promise<string> => {
    const cookies = new Map<string, string>()
    for (let steps = 0; steps < 10 && url.startsWith(other.issuer); steps++) {
      const response = await fetch(url, {
        redirect: "manual",
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
      })
      for (const field of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(field)!
        cookies.set(name, value)
      }
      url = new URL(response.headers.get("location")!, url).href
    }
    return url.slice(base.length)
  }
  const begin = async (path = "/login/corp") => {
    const browser = makeBrowser(context)
    const sent = await browser.get(path)
    expect(sent.status).toBe(303)
    return { browser, url: sent.headers.get("location")! }
  }
  const signInAs = async (account: Account, path?: string) => {
    other.state.account = account
    const { browser, url } = await begin(path)
    return { browser, response: await browser.get(await visit(url)) }
  }
  const linkBy = (owner: User, email: string) =>
    service.runtime.runPromise(Effect.map(
      Effect.provideService(inviteMember({ email, role: "member" }), CurrentPrincipal, {
        organizationId: owner.activeOrganizationId, userId: owner.id, role: "owner"
      }),
      ({ secret }) => `/join?token=${secret}`
    ))

  it("is offered on the page, and goes there with PKCE, state and nonce of each journey's own", async () => {
    const html = await (await makeBrowser(context).get("/login?return=/settings/keys")).text()
    expect(html).toContain("href=\"/login/corp?return=%2Fsettings%2Fkeys\"")
    expect(html).toContain("Continue with Corp")
    const [one, two] = [new URL((await begin()).url), new URL((await begin()).url)]
    expect(one.searchParams.get("code_challenge_method")).toBe("S256")
    for (const name of ["code_challenge", "state", "nonce"]) {
      expect(one.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
      expect(one.searchParams.get(name)).not.toBe(two.searchParams.get(name))
    }
  })

  it("lets a user in by a verified address, in any case, back to where they were going", async () => {
    const user = await addPerson(context, "ann@example.com")
    const { browser, response } = await signInAs({ email: "Ann@Example.com", email_verified: true }, "/login/corp?return=/settings/account")
    expect([response.status, response.headers.get("location")]).toEqual([303, "/settings/account"])
    expect(await (await browser.get("/settings/account")).text()).toContain("ann@example.com")
    expect([...service.database.auditEntries.values()].map(({ action, actorId }) => [action, actorId])).toContainEqual(["user.signed_in", user.id])
    expect([...browser.cookies.keys()].toSorted()).toEqual(["coppice_session", "coppice_visit"])
  })

  it("lets nobody in by an address that was not verified, or is no user's", async () => {
    await addPerson(context, "victim@example.com", "correct horse battery")
    const sessions = service.database.browserSessions.size
    for (const account of [
      { email: "victim@example.com", email_verified: false },
      { email: "victim@example.com" },
      { email: "victim@example.com", email_verified: "true" as never },
      { email: "stranger@example.com", email_verified: true },
      {}
    ]) {
      const { browser, response } = await signInAs(account)
      expect([account, response.status]).toEqual([account, 401])
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(browser.cookies.has("coppice_session")).toBe(false)
    }
    expect(service.database.browserSessions.size).toBe(sessions)
    service.ahead.millis += 15 * 60_000
  })

  it("makes a user of who comes by an invitation to that address, and of nobody else", async () => {
    const owner = await addPerson(context, "owner@example.com", "correct horse battery")
    const path = await linkBy(owner, "new@example.com")
    const way = /href="(\/login\/corp[^"]*)"/.exec(await (await makeBrowser(context).get(path)).text())![1]!
    expect((await signInAs({ email: "else@example.com", email_verified: true }, way)).response.status).toBe(401)
    const { browser, response } = await signInAs({ email: "NEW@example.com", email_verified: true, name: "New\u202e One\n" }, way)
    expect([response.status, response.headers.get("location")]).toEqual([303, "/"])
    const account = await (await browser.get("/settings/account")).text()
    expect(account).toContain("<dd>New One</dd>")
    expect(account).toContain("Of owner@example.com, as member")
    expect(account).toContain("You have no password yet")
    const first = { password: "correct horse battery", again: "correct horse battery" }
    service.ahead.millis += 15 * 60_000
    const late = await browser.submit("/settings/account", "/settings/account/password", first)
    expect([late.status, (await late.text()).includes("Sign out and in again first")]).toEqual([400, true])
    const fresh = (await signInAs({ email: "new@example.com", email_verified: true })).browser
    expect((await fresh.submit("/settings/account", "/settings/account/password", first)).status).toBe(303)
    expect((await makeBrowser(context).login("new@example.com", first.password)).status).toBe(303)
  })

  it("comes back only to the browser that went, from the service that it went to, once", async () => {
    await addPerson(context, "there@example.com")
    other.state.account = { email: "there@example.com", email_verified: true }
    const { browser, url } = await begin()
    const back = await visit(url)
    expect((await makeBrowser(context).get(back)).status).toBe(403)
    const mixed = await begin("/login/twin")
    expect((await mixed.browser.get(back)).status).toBe(403)
    const elsewhere = await begin()
    expect((await elsewhere.browser.get(back)).status).toBe(401)
    expect((await browser.get(back.replace(/state=[^&]*/, "state=x"))).status).toBe(401)
    const kept = browser.cookies.get("coppice_identity")!
    expect((await browser.get(back)).status).toBe(303)
    expect((await browser.get(back)).status).toBe(403)
    browser.cookies.set("coppice_identity", kept)
    expect((await browser.get(back)).status).toBe(401)
    service.ahead.millis += 15 * 60_000
  })

  it("shows a page, and logs why, when the other service says no, has other secrets or does not answer", async () => {
    other.state.deny = true
    const denied = await signInAs({})
    other.state.deny = false
    expect([denied.response.status, (await denied.response.text()).includes("Corp did not let you in.")]).toEqual([401, true])
    expect((await signInAs({ email: "ann@example.com", email_verified: true }, "/login/twin")).response.status).toBe(401)
    expect((await makeBrowser(context).get("/login/gone")).status).toBe(401)
    expect((await makeBrowser(context).get("/login/unknown")).status).toBe(404)
    expect(JSON.stringify(service.logs)).toContain("Corp: discovery failed")
    expect(JSON.stringify(service.logs)).not.toContain("sesame")
  })
})
