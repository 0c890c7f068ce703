import { createHttpApp, passwordHasherLayer } from "@coppice/adapter-http"
import type { HttpPorts } from "@coppice/adapter-http"
import { migrate, postgresLayer, storeLayer } from "@coppice/adapter-store"
import { CurrentPrincipal, decideAuthorization, hashSecret, MachineId, type OrganizationId, type Tool, type UserId } from "@coppice/core"
import { fakeHostLayer } from "@coppice/testkit/fake"
import { Clock, DateTime, Duration, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import type { SqlClient } from "effect/sql/SqlClient"
import { createHash } from "node:crypto"
import { isOutage } from "../../src/http.ts"

export const oauthPath = "/api/auth/oauth2"
export const redirectUri = "https://app.example/cb"

export const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url")

const base = "http://127.0.0.1:4280"

/** Says who is calling, as the service sees it. */
const whoami: Tool<CurrentPrincipal> = {
  name: "whoami",
  title: "Who am I",
  description: "Says who is calling.",
  toolset: "tests",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: { type: "object", properties: {} },
  outputSchema: { type: "object" },
  call: () => Effect.map(CurrentPrincipal, (principal) => ({ ...principal }))
}

/**
 * The real time, in which nobody who sleeps for a minute or longer wakes: what has run out is not swept away in the middle
 * of a test that puts instants back.
 */
const restless = Clock.clockWith((real) =>
  Effect.succeed<Clock.Clock>(Object.assign(Object.create(real) as Clock.Clock, {
    sleep: (duration: Duration.Duration) => Duration.toMillis(duration) >= 60_000 ? Effect.never : real.sleep(duration)
  })))

const servicesOn = (databaseUrl: string, maxConnections: number, logs: Array<string>) =>
  Layer.mergeAll(storeLayer, fakeHostLayer({ machineId: MachineId.make("0199a000-0000-7000-8000-00000000c0de") }), passwordHasherLayer).pipe(
    Layer.provideMerge(postgresLayer({ url: Redacted.make(databaseUrl), maxConnections })),
    Layer.provideMerge(layerWebCrypto),
    Layer.provideMerge(Layer.effect(Clock.Clock, restless)),
    Layer.provideMerge(Logger.layer([Logger.make(({ cause, message }) => void logs.push(`${message} ${cause}`))]))
  )

/** One process of the service on a database: the HTTP app as it is mounted, without a socket, and the ports behind it. */
export const replicaOn = async (databaseUrl: string, { maxConnections = 5 } = {}) => {
  const logs: Array<string> = []
  const runtime = ManagedRuntime.make(servicesOn(databaseUrl, maxConnections, logs))
  const many = { max: 1e6, windowSeconds: 60 }
  const app = createHttpApp<HttpPorts | SqlClient>({
    context: await runtime.context(),
    tools: [whoami],
    version: "1.2.3",
    baseUrl: base,
    registrations: { address: many, all: many },
    authorizations: { address: many, all: many },
    failedCredentials: many,
    isOutage
  })
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(base + path, init)
    if (typeof init.body === "string") request.headers.set("content-length", String(Buffer.byteLength(init.body)))
    return app.fetch(request)
  }
  return { runtime, send, logs, base, close: () => runtime.dispose() }
}
export type OAuthReplica = Awaited<ReturnType<typeof replicaOn>>

/** Makes the schema of a new database. */
export const migrated = async (databaseUrl: string): Promise<string> => {
  await Effect.runPromise(migrate.pipe(Effect.provide(postgresLayer({ url: Redacted.make(databaseUrl), maxConnections: 1 }))))
  return databaseUrl
}

export type Fields = Readonly<Record<string, string | undefined>>

/** Fields as a form or a query has them; those that are undefined are left out. */
export const encodeFields = (fields: Fields): string =>
  new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])).toString()

export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly scope?: string
}

type Send = OAuthReplica["send"]

/** Where a program sends a person's browser. */
export const authorizePath = (clientId: string, verifier: string, fields: Fields = {}): string =>
  `${oauthPath}/authorize?${
    encodeFields({
      response_type: "code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: challengeOf(verifier),
      code_challenge_method: "S256",
      ...fields
    })
  }`

/** What programs send by themselves. */
export const clientOver = (send: Send) => {
  const postForm = (path: string, fields: Fields) =>
    send(`${oauthPath}/${path}`, {
      method: "POST",
      body: encodeFields(fields),
      headers: { "content-type": "application/x-www-form-urlencoded" }
    })
  return {
    register: (metadata: object = {}) =>
      send(`${oauthPath}/register`, {
        method: "POST",
        body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: "none", ...metadata }),
        headers: { "content-type": "application/json" }
      }),
    /** The person's browser comes by, with the cookie that it has. */
    /** A browser that was never here comes by. */
    authorize: (clientId: string, verifier: string, fields?: Fields) => send(authorizePath(clientId, verifier, fields), { redirect: "manual" }),
    redeem: (clientId: string, code: string, verifier: string, fields: Fields = {}) =>
      postForm("token", { grant_type: "authorization_code", client_id: clientId, code, code_verifier: verifier, ...fields }),
    refresh: (clientId: string, refreshToken: string, fields: Fields = {}) =>
      postForm("token", { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken, ...fields }),
    revoke: (token: string, clientId?: string) => postForm("revoke", { token, client_id: clientId }),
    whoami: (bearer: string) =>
      send("/mcp", {
        method: "POST",
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } }),
        headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` }
      })
  }
}

/** The request that a browser was sent to decide on, and the cookie that it is bound to. */
export const begunBy = (response: Response) => {
  const requestId = new URL(response.headers.get("location") ?? "", base).searchParams.get("request")
  const [cookie] = response.headers.getSetCookie().map((field) => field.split(";")[0]!)
  if (requestId === null) throw new Error(`${response.status} ${response.headers.get("location")}`)
  return { requestId, cookie }
}

/** What a person decides on a request that their browser began; answers the address that it goes to. */
export const decideOn = (
  { requestId, cookie }: { readonly requestId: string; readonly cookie: string },
  by: { readonly userId: UserId; readonly organizationId: OrganizationId },
  approve = true
) =>
  Effect.gen(function*() {
    const visit = hashSecret("browserVisit", cookie.split("=")[1] ?? "")!
    const url = yield* decideAuthorization({ requestId, visit, ...by, authenticatedAt: yield* DateTime.now, approve })
    return new URL(url)
  })
