import { expect, onTestFinished } from "vitest"
import { makeCanaries } from "./canaries.ts"
import { eventually } from "./eventually.ts"
import { challengeOf, encodeFields, type Fields, oauthPath, redirectUri } from "./oauth-service.ts"
import { pageBrowser } from "./page-browser.ts"
import { makeSite } from "./site.ts"

/**
 * A page that shows a form again shows what was in it to whoever sent it: the secret of the link that they opened, and
 * what they typed as their address, whatever it was.
 */
const withoutOwnInput = (html: string): string =>
  html.replaceAll(/<input type="hidden" name="(?:token|return)" value="[^"]*"|(?<=<input id="email"[^>]* value=)"[^"]*"/g, "")

const rest = "p&sswörd %41 <\"'+/=\\ "

/** A life of the service, from its first owner to its last token, where as much as can goes wrong. */
export const live = async (databaseUrl: string | undefined) => {
  const canaries = makeCanaries()
  const { keep } = canaries
  const site = await makeSite(databaseUrl === undefined ? {} : { databaseUrl })
  onTestFinished(site.close)
  const server = await site.start()
  const failures: Array<{ readonly what: string; readonly text: string }> = []
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(site.base + path, init)
    if (response.status >= 400) {
      const text = [...response.headers].join("\n") + withoutOwnInput(await response.clone().text())
      failures.push({ what: `${response.status} of ${init.method ?? "GET"} ${path.split("?")[0]}`, text })
    }
    return response
  }
  const newBrowser = () => {
    const browser = pageBrowser(send, site.base)
    return { ...browser, keepCookies: () => browser.cookies.forEach((secret, name) => keep(`cookie ${name}`, secret)) }
  }
  const shown = async (response: Response, pattern: RegExp): Promise<string> => {
    const html = await response.text()
    const [found] = pattern.exec(html) ?? []
    if (found === undefined) throw new Error(`${response.status}: no ${pattern} in ${html}`)
    return found
  }
  const mismatched = (secret: string): string => `${secret.slice(0, -3)}zzz`

  const postForm = (path: string, fields: Fields | string, headers: Record<string, string> = {}) =>
    send(`${oauthPath}/${path}`, {
      method: "POST",
      body: typeof fields === "string" ? fields : encodeFields(fields),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
    })
  /** A request of a program, and the same as it should not be sent. */
  const everyWay = async (path: string, fields: Fields) => {
    const form = encodeFields(fields)
    await postForm(path, form, { "content-type": "application/json" })
    await postForm(path, `${form}&${form}`)
    await postForm(path, `${form}&pad=${"x".repeat(70_000)}`)
    await postForm(path, `${form}&%zz=%ff`)
    await send(`${oauthPath}/${path}?${form}`)
    await send(`/nothing-here?${form}`)
  }
  const mcp = (authorization: string, path = "/mcp", body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })) =>
    send(path, { method: "POST", body, headers: { authorization, "content-type": "application/json" } })
  /** A credential at its place, and where and how it should not be. */
  const misuse = async (secret: string) => {
    for (const wrong of [`Bearer  ${secret} x`, `Basic ${secret}`, `Bearer ${mismatched(secret)}`, `Bearer "${secret}"`, secret, `Bearer ${secret},${secret}`]) {
      expect((await mcp(wrong)).status).toBe(401)
    }
    await mcp("Bearer x", `/mcp?access_token=${secret}`)
    await mcp(`Bearer ${secret}`, "/mcp", `{"jsonrpc":"2.0","id":"${secret}","method":`)
    await mcp(`Bearer ${secret}`, "/mcp", "x".repeat(5_000_000))
    await send("/api/auth/oauth2/userinfo", { headers: { authorization: `Bearer ${mismatched(secret)}` } })
  }

  // The first owner. That the operator is shown the link is what it is for.
  const link = await eventually("the link is shown", () => /\/setup\?token=(\S+)/.exec(server.output())?.[1])
  const log = () => server.output().replace(`/setup?token=${link}`, "")
  const setupToken = keep("set-up token", link)
  const password = keep("password", `correct ${rest}`)
  const email = "ann@example.com"
  const founding = newBrowser()
  await send(`/setup?token=${mismatched(setupToken)}`)
  const asked = `/setup?token=${setupToken}`
  const owner = { name: "Ann", email, organization: "Acme" }
  await founding.submit(asked, "/setup", { ...owner, email: "no address", password, again: password })
  const founded = await founding.submit(asked, "/setup", { ...owner, password, again: password })
  expect(founded.status, await founded.text()).toBe(303)
  founding.keepCookies()
  await send(asked)

  // Sign-in, as it goes and as it does not.
  const browser = newBrowser()
  const wrongPassword = keep("wrong password", `mistyped ${rest}`)
  expect((await browser.submit("/login", "/login", { email, password: wrongPassword })).status).toBe(401)
  await browser.submit("/login", "/login", { email: wrongPassword, password: wrongPassword })
  await browser.post("/login", { email, password })
  await browser.post("/login", { email, password, form_token: "x" }, { origin: "https://evil.example" })
  await browser.submit("/login", "/login", { email, password, pad: "x".repeat(70_000) })
  expect((await browser.submit("/login", "/login", { email, password })).status).toBe(303)
  browser.keepCookies()

  // An invitation.
  const invited = await browser.submit("/settings/members/invite", "/settings/members/invite", { email: "bob@example.com", role: "member" })
  const invitation = keep("invitation", await shown(invited, /coppice_iv_\w+/))
  const guest = newBrowser()
  const join = `/join?token=${invitation}`
  const guestPassword = keep("another password", `guest's ${rest}`)
  await send(`/join?token=${mismatched(invitation)}`)
  expect((await guest.submit(join, "/join", { name: "", password: guestPassword, again: guestPassword })).status).toBe(400)
  expect((await guest.submit(join, "/join", { name: "Bob", password: guestPassword, again: guestPassword })).status).toBe(303)
  guest.keepCookies()
  await send(join)
  const changed = keep("new password", `changed ${rest}`)
  const account = "/settings/account"
  const refused = await guest.submit(account, `${account}/password`, { present: wrongPassword, password: changed, again: changed })
  expect(refused.status).toBe(400)
  await guest.submit(account, `${account}/password`, { present: guestPassword, password: changed, again: changed })

  // A client, a code, tokens.
  const metadata = { redirect_uris: [redirectUri], client_name: "Canary", token_endpoint_auth_method: "client_secret_post" }
  const registered = await send(`${oauthPath}/register`, { method: "POST", body: JSON.stringify(metadata), headers: { "content-type": "application/json" } })
  const { client_id, client_secret } = await registered.json() as { client_id: string; client_secret: string }
  keep("client secret", client_secret)
  await send(`${oauthPath}/register`, { method: "POST", body: `{"client_secret":"${client_secret}"`, headers: { "content-type": "application/json" } })
  await send(`${oauthPath}/register`, { method: "POST", body: JSON.stringify({ ...metadata, redirect_uris: [`javascript:${client_secret}`] }), headers: { "content-type": "application/json" } })
  const approve = async () => {
    const verifier = keep("verifier", `verifier-${crypto.randomUUID()}-${crypto.randomUUID()}`)
    const query = encodeFields({ response_type: "code", client_id, redirect_uri: redirectUri, code_challenge: challengeOf(verifier), code_challenge_method: "S256" })
    const begun = await browser.get(`${oauthPath}/authorize?${query}`)
    const consent = new URL(begun.headers.get("location")!)
    const decided = await browser.submit(consent.pathname + consent.search, consent.pathname + consent.search, { decision: "allow" })
    const code = keep("code", new URL(decided.headers.get("location")!).searchParams.get("code")!)
    await browser.post(consent.pathname + consent.search, { decision: "allow", form_token: code })
    return { code, verifier }
  }
  const { code, verifier } = await approve()
  const proof = { client_id, client_secret }
  const redemption = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: redirectUri, ...proof }
  const wrongVerifier = keep("wrong verifier", `wrong-${crypto.randomUUID()}-${crypto.randomUUID()}`)
  await everyWay("token", redemption)
  await postForm("token", { ...redemption, code_verifier: wrongVerifier })
  await postForm("token", { ...redemption, code: mismatched(code) })
  await postForm("token", { ...redemption, client_secret: mismatched(client_secret) })
  await postForm("token", { ...redemption, grant_type: code })
  for (const credentials of [`${client_id}:${client_secret}`, `${client_secret}:x`, `%zz:${client_secret}`, client_secret]) {
    await postForm("token", redemption, { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` })
    await postForm("revoke", { token: code }, { authorization: `Basic ${credentials}` })
  }
  const redeemed = await postForm("token", redemption)
  const tokens = await redeemed.json() as { access_token: string; refresh_token: string; id_token: string }
  expect(redeemed.status).toBe(200)
  const keepTokens = ({ access_token, id_token, refresh_token }: Partial<typeof tokens>) => {
    for (const [what, token] of Object.entries({ access_token, refresh_token, id_token })) if (token !== undefined) keep(what, token)
  }
  keepTokens(tokens)
  expect((await mcp(`Bearer ${tokens.access_token}`)).status).toBe(200)
  await misuse(tokens.access_token)
  const renewal = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, ...proof }
  await everyWay("token", renewal)
  await postForm("token", { ...renewal, scope: tokens.refresh_token })
  await postForm("token", { ...renewal, resource: `https://evil.example/${tokens.refresh_token}` })
  const refreshed = await (await postForm("token", renewal)).json() as typeof tokens
  keepTokens(refreshed)
  await postForm("token", redemption)

  // An API key, a service client, a webhook.
  const keyPage = "/settings/keys/new"
  const made = await browser.submit(keyPage, keyPage, { name: "canary", lifetime: "30", access: "full", reach: "all" })
  const key = keep("API key", await shown(made, /coppice_ak_\w+/))
  expect((await mcp(`Bearer ${key}`)).status).toBe(200)
  await misuse(key)
  const servicePage = "/settings/members/service-clients/new"
  const served = await browser.submit(servicePage, servicePage, { name: "canary" })
  const page = await served.text()
  const serviceSecret = keep("service client's secret", /coppice_cs_\w+/.exec(page)?.[0])
  const serviceId = /-u ([0-9a-f-]{36})/.exec(page)![1]!
  const serviceProof = `Basic ${Buffer.from(`${serviceId}:${serviceSecret}`).toString("base64")}`
  keepTokens(await (await postForm("token", { grant_type: "client_credentials" }, { authorization: serviceProof })).json() as object)
  await postForm("token", { grant_type: "password", username: email, password }, { authorization: serviceProof })

  const { url, token } = await site.furnish({ user: false })
  keep("webhook token", token)
  const hook = (authorization: string, body: string, path = new URL(url).pathname) =>
    send(path, { method: "POST", body, headers: { authorization, "content-type": "application/json" } })
  expect((await hook(`Bearer ${token}`, "{}")).status).toBe(200)
  await hook(`Bearer ${token}`, `"${token}`)
  await hook(`Bearer ${token}`, "x".repeat(1_100_000))
  await hook(`Bearer ${mismatched(token)}`, "{}")
  await hook(`Token ${token}`, "{}", `${new URL(url).pathname}?token=${token}`)

  /** With something broken in the database, everything that comes by it. */
  const afterwards = await approve()
  const onceMore = async () => {
    const again = { ...redemption, code: afterwards.code, code_verifier: afterwards.verifier }
    await postForm("token", again)
    await postForm("token", { ...renewal, refresh_token: refreshed.refresh_token })
    await postForm("revoke", { token: refreshed.access_token, ...proof })
    await mcp(`Bearer ${refreshed.access_token}`)
    await mcp(`Bearer ${key}`)
    await hook(`Bearer ${token}`, "{}")
    await guest.submit(account, `${account}/password`, { present: changed, password: changed, again: changed }).catch(() => {})
    await send("/login", { headers: { cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; ") } })
    const other = newBrowser()
    other.cookies.set("coppice_visit", browser.cookies.get("coppice_visit")!)
    // There may be no form to fill in now.
    await other.submit("/login", "/login", { email, password }).catch(() => {})
    await send(join)
  }
  const end = async () => {
    await everyWay("revoke", { token: refreshed.refresh_token, ...proof })
    await postForm("revoke", { token: refreshed.refresh_token, client_id, client_secret: mismatched(client_secret) })
    expect((await postForm("revoke", { token: refreshed.refresh_token, ...proof })).status).toBe(200)
    expect((await mcp(`Bearer ${refreshed.access_token}`)).status).toBe(401)
    await browser.submit("/settings/account", "/settings/account/sign-out-everywhere", {})
  }
  return { canaries, end, failures, log, onceMore, site }
}
export type Life = Awaited<ReturnType<typeof live>>
