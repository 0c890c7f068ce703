import { decideAuthorization, hashSecret, type User } from "@coppice/core"
import { DateTime, Effect } from "effect"
import { createHash } from "node:crypto"
import { addPerson, type Browser, makeBrowser } from "./browser.ts"
import type { MatrixContext } from "./matrix.ts"

export const oauth = "/api/auth/oauth2"
export const redirectUri = "https://app.example/cb"
export const verifier = "v".repeat(50)
export const challenge = createHash("sha256").update(verifier).digest("base64url")

const many = { address: { max: 1e6, windowSeconds: 60 }, all: { max: 1e6, windowSeconds: 60 } }

/** Many tests register and ask for access, all from one address. */
export const manyRegistrations = { registrations: many, authorizations: many }

export interface Registered {
  readonly client_id: string
  readonly client_secret?: string
  readonly [name: string]: unknown
}

export interface Tokens {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly refresh_token?: string
  readonly scope?: string
  readonly id_token?: string
}

export type Fields = Readonly<Record<string, string | undefined>>

/** Fields as a form or a query has them; those that are undefined are left out. */
export const encode = (fields: Fields): string =>
  new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])).toString()

export const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`

/** What clients and people do at the authorization server of a service. */
export const makeOAuth = (context: MatrixContext) => {
  const { base, fetch, runtime } = context

  const postRegistration = (metadata: unknown, headers: Record<string, string> = {}) =>
    fetch(`${oauth}/register`, {
      method: "POST",
      body: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
      headers: { "content-type": "application/json", ...headers }
    })
  const register = async (metadata: object = {}): Promise<Registered> => {
    const response = await postRegistration({ redirect_uris: [redirectUri], token_endpoint_auth_method: "none", ...metadata })
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
    return await response.json() as Registered
  }

  const query = (clientId: string, fields: Fields = {}): string =>
    encode({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: "s",
      ...fields
    })
  const authorize = (clientId: string, fields?: Fields, browser: Browser = makeBrowser(context)) =>
    browser.get(`${oauth}/authorize?${query(clientId, fields)}`)

  const visitOf = (browser: Browser) => {
    const secret = browser.cookies.get("coppice_visit") ?? browser.cookies.get("__Host-coppice_visit")
    return hashSecret("browserVisit", secret ?? "")!
  }
  const requestIn = (location: string | null) => new URL(location ?? "", base).searchParams.get("request")!
  /** What a person decides on the consent page; answers the address that their browser goes to. */
  const decide = (requestId: string, browser: Browser, user: User, approve = true, signedInAt?: DateTime.Utc): Promise<URL> =>
    runtime.runPromise(Effect.gen(function*() {
      const authenticatedAt = signedInAt ?? (yield* DateTime.now)
      const by = { visit: visitOf(browser), userId: user.id, organizationId: user.activeOrganizationId, authenticatedAt }
      return new URL(yield* decideAuthorization({ requestId, ...by, approve }))
    }))

  let people = 0
  const newPerson = () => addPerson(context, `person${++people}-${Math.random()}@example.com`)

  /** A code that a person approved. */
  const code = async (clientId: string, fields: Fields = {}, user?: User) => {
    const browser = makeBrowser(context)
    const begun = await authorize(clientId, fields, browser)
    if (begun.status !== 302) throw new Error(`${begun.status} ${await begun.text()}`)
    const person = user ?? await newPerson()
    const url = await decide(requestIn(begun.headers.get("location")), browser, person)
    return { code: url.searchParams.get("code")!, url, person }
  }

  const post = (path: string, fields: Fields | string, headers: Record<string, string> = {}) =>
    fetch(`${oauth}/${path}`, {
      method: "POST",
      body: typeof fields === "string" ? fields : encode(fields),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
    })
  const token = (fields: Fields | string, headers?: Record<string, string>) => post("token", fields, headers)
  const revoke = (fields: Fields | string, headers?: Record<string, string>) => post("revoke", fields, headers)
  const redeem = (clientId: string, presented: string, fields: Fields = {}, headers?: Record<string, string>) =>
    token({
      grant_type: "authorization_code",
      client_id: clientId,
      code: presented,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...fields
    }, headers)
  const refresh = (clientId: string, presented: string | undefined, fields: Fields = {}, headers?: Record<string, string>) =>
    token({ grant_type: "refresh_token", client_id: clientId, refresh_token: presented, ...fields }, headers)
  /** A public client with a person's leave, and its tokens. */
  const connect = async (fields: Fields = {}, metadata?: object, user?: User) => {
    const client = await register(metadata)
    const approved = await code(client.client_id, fields, user)
    const response = await redeem(client.client_id, approved.code)
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return { client, ...approved, tokens: await response.json() as Tokens }
  }
  /** What the MCP address says to a bearer. */
  const mcp = (bearer: string, path = "/mcp") =>
    fetch(path, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` }
    })
  const mcpStatus = async (bearer: string, path?: string) => {
    const response = await mcp(bearer, path)
    await response.text()
    return response.status
  }
  return {
    authorize, code, connect, decide, mcp, mcpStatus, newPerson, post, postRegistration, query, redeem, refresh, register, requestIn, revoke, token, visitOf
  }
}

/** A failure of the token or revocation endpoint: its status and its code. */
export const failure = async (response: Response): Promise<readonly [number, string]> => {
  const body = await response.json() as { readonly error: string }
  return [response.status, body.error]
}
