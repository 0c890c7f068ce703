// What the token endpoint is measured against: oidc-provider on the same PostgreSQL, by the same database client. It says
// at /seed which client there is, and as many codes as BENCH_CODES asks for.
import { postgresLayer } from "@coppice/adapter-store"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import Provider from "oidc-provider"
import { createOidcTable, makeOidcAdapter } from "./oidc-adapter.ts"
import { challenge, redirectUri, type TokenSeed } from "./token-load.ts"

process.env["NODE_ENV"] = "production"
const url = Redacted.make(process.env["BENCH_DATABASE_URL"]!)
const runtime = ManagedRuntime.make(postgresLayer({ url }))
const context = await runtime.context()
const run = Effect.runPromiseWith(context)
const sql = await runtime.runPromise(SqlClient)
await run(createOidcTable(sql))
const Adapter = makeOidcAdapter(sql, run)

const clientId = "bench"
const scope = "offline_access"
await new Adapter("Client").upsert(clientId, {
  client_id: clientId,
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none"
} as object)

const daySeconds = 24 * 3600
const provider = new Provider("http://127.0.0.1", {
  adapter: Adapter,
  cookies: { keys: ["bench"] },
  features: { devInteractions: { enabled: false } },
  scopes: ["openid", "offline_access"],
  ttl: { AccessToken: 3600, AuthorizationCode: daySeconds, Grant: 90 * daySeconds, RefreshToken: 30 * daySeconds },
  findAccount: async (_: unknown, accountId: string) => ({ accountId, claims: async () => ({ sub: accountId }) })
})

/** A code as its authorization endpoint would have stored it after a person's consent. */
const makeCode = async (client: object, index: number): Promise<string> => {
  const accountId = `person-${index}`
  const grant = new provider.Grant({ accountId, clientId })
  grant.addOIDCScope(scope)
  const grantId = await grant.save(90 * daySeconds)
  return new provider.AuthorizationCode({
    accountId,
    client,
    grantId,
    redirectUri,
    scope,
    codeChallenge: challenge,
    codeChallengeMethod: "S256",
    authTime: Math.floor(Date.now() / 1000)
  }).save(daySeconds)
}

const makeSeed = async (): Promise<TokenSeed> => {
  const client = (await provider.Client.find(clientId))!
  const codes: Array<string> = []
  for (let index = 0; index < Number(process.env["BENCH_CODES"]); index++) codes.push(await makeCode(client, index))
  return { clientId, codes }
}

const seed = JSON.stringify(await makeSeed())
const answer = provider.callback()
const server = createServer((request, response) => request.url === "/seed" ? void response.end(seed) : answer(request, response))
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })))
process.once("SIGTERM", () => runtime.dispose().finally(() => process.exit(0)))
