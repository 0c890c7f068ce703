import {
  createServiceClient,
  CurrentPrincipal,
  listServiceClients,
  type Principal,
  removeServiceClient,
  rotateServiceClientSecret,
  type User
} from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeMatrix } from "./support/matrix.ts"
import { basic, failure, makeOAuth, manyRegistrations, oauth, type Tokens } from "./support/oauth.ts"

const as = (user: User, role: Principal["role"] = "owner") =>
  Effect.provideService(CurrentPrincipal, { organizationId: user.activeOrganizationId, userId: user.id, role })

describeMatrix("a service client", (context) => {
  const make = async (authMethod?: "client_secret_post") => {
    const admin = await makeOAuth(context()).newPerson()
    const made = await context().runtime.runPromise(as(admin)(createServiceClient({ name: "Nightly", ...authMethod === undefined ? {} : { authMethod } })))
    return { admin, ...made }
  }
  const grant = (authorization?: string, fields: Record<string, string> = {}) =>
    makeOAuth(context()).token({ grant_type: "client_credentials", ...fields }, authorization === undefined ? {} : { authorization })

  it(verifies("token.client-credentials") + "gets access tokens by itself, and acts as its own member", async () => {
    const { base, database, fetch } = context()
    const { mcpStatus } = makeOAuth(context())
    const { admin, client, secret } = await make()
    const response = await grant(basic(client.id, secret), { scope: "openid offline_access", resource: `${base}/mcp` })
    expect(response.status).toBe(200)
    const tokens = await response.json() as Tokens
    expect(tokens).toEqual({ access_token: expect.stringMatching(/^coppice_at_/), token_type: "Bearer", expires_in: 3600 })
    for (const path of ["/mcp", "/api/v2/agent/mcp"]) expect(await mcpStatus(tokens.access_token, path)).toBe(200)
    const member = [...database.members.values()].find(({ userId }) => userId === client.service!.userId)!
    expect(member).toMatchObject({ organizationId: admin.activeOrganizationId, role: "member", email: `${client.id}@service.invalid`, name: "Nightly" })
    expect(database.passwordHashes.has(client.service!.userId)).toBe(false)
    expect((await fetch(`${oauth}/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } })).status).toBe(403)
    const other = await make("client_secret_post")
    expect((await grant(undefined, { client_id: other.client.id, client_secret: other.secret })).status).toBe(200)
  })

  it("has one grant and one rate limit, however many tokens it asks for", async () => {
    const { base, database } = context()
    const { mcp } = makeOAuth(context())
    const { client, secret } = await make()
    const ask = async () => (await (await grant(basic(client.id, secret))).json() as Tokens).access_token
    const remaining = async (bearer: string) => Number((await mcp(bearer)).headers.get("ratelimit-remaining"))
    const [first, second] = [await ask(), await ask()]
    expect([...database.grants.values()].filter(({ clientId }) => clientId === client.id)).toMatchObject([{ resource: base, scope: [] }])
    expect(await remaining(second) - await remaining(first)).toBe(1)
  })

  it("proves itself, and does nothing else than that", async () => {
    const { client, secret } = await make()
    expect(await failure(await grant(basic(client.id, "x")))).toEqual([401, "invalid_client"])
    expect(await failure(await grant(undefined, { client_id: client.id }))).toEqual([400, "invalid_client"])
    expect(await failure(await grant(undefined, { client_id: client.id, client_secret: secret }))).toEqual([400, "invalid_client"])
    expect(await failure(await grant(basic(client.id, secret), { resource: "https://evil.example" }))).toEqual([400, "invalid_target"])
    const { authorize, token } = makeOAuth(context())
    for (const grant_type of ["authorization_code", "refresh_token"]) {
      expect(await failure(await token({ grant_type, code: "x" }, { authorization: basic(client.id, secret) }))).toEqual([400, "unauthorized_client"])
    }
    expect((await authorize(client.id)).status).toBe(400)
  })

  it("1.9, T17: is what nobody can register as", async () => {
    const { register } = makeOAuth(context())
    const [pub, confidential] = [await register(), await register({ token_endpoint_auth_method: "client_secret_basic" })]
    expect(await failure(await grant(undefined, { client_id: pub.client_id }))).toEqual([400, "unauthorized_client"])
    expect(await failure(await grant(basic(confidential.client_id, confidential.client_secret!)))).toEqual([400, "unauthorized_client"])
    expect(await failure(await grant(undefined, { client_id: "nobody" }))).toEqual([400, "invalid_client"])
  })

  it("is made, given another secret and removed by admins, in their organization, and that is on record", async () => {
    const { database, runtime } = context()
    const { mcpStatus, newPerson } = makeOAuth(context())
    const { admin, client, secret } = await make()
    const stranger = await newPerson()
    const attempt = <A, E>(user: User, role: Principal["role"], effect: Effect.Effect<A, E, never>) => runtime.runPromise(as(user, role)(effect as never) as Effect.Effect<A, E>)
    for (const effect of [createServiceClient({ name: "x" }), listServiceClients({}), rotateServiceClientSecret(client.id), removeServiceClient(client.id)]) {
      await expect(attempt(admin, "member", effect as never)).rejects.toMatchObject({ code: "FORBIDDEN" })
    }
    for (const effect of [rotateServiceClientSecret(client.id), removeServiceClient(client.id), rotateServiceClientSecret("x")]) {
      await expect(attempt(stranger, "owner", effect as never)).rejects.toMatchObject({ code: "NOT_FOUND" })
    }
    await expect(attempt(admin, "owner", createServiceClient({ name: " " }) as never)).rejects.toMatchObject({ code: "INVALID_REQUEST" })
    const listed = await runtime.runPromise(as(admin, "admin")(listServiceClients({})))
    expect(listed.items.map(({ id, name }) => [id, name])).toEqual([[client.id, "Nightly"]])
    expect((await runtime.runPromise(as(stranger)(listServiceClients({})))).items).toEqual([])

    const rotated = await runtime.runPromise(as(admin)(rotateServiceClientSecret(client.id)))
    expect(await failure(await grant(basic(client.id, secret)))).toEqual([401, "invalid_client"])
    const tokens = await (await grant(basic(client.id, rotated.secret))).json() as Tokens
    expect(await mcpStatus(tokens.access_token)).toBe(200)
    await runtime.runPromise(as(admin)(removeServiceClient(client.id)))
    expect(await mcpStatus(tokens.access_token)).toBe(401)
    expect(await failure(await grant(basic(client.id, rotated.secret)))).toEqual([401, "invalid_client"])
    const entries = [...database.auditEntries.values()].filter(({ organizationId }) => organizationId === admin.activeOrganizationId)
    expect(entries.map(({ action, actorId, subject, subjectId }) => [action, actorId, subject, subjectId])).toEqual(
      ["service_client.created", "service_client.secret_rotated", "service_client.removed"].map((action) => [action, admin.id, "Nightly", client.id])
    )
  })
}, manyRegistrations)
