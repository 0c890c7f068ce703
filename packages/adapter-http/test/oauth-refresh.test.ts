import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix } from "./support/matrix.ts"
import { failure, type Fields, makeOAuth, manyRegistrations, type Tokens } from "./support/oauth.ts"

const day = 24 * 60 * 60 * 1000

describeMatrix("a refresh token", (context) => {
  const tokensOf = async (response: Response) => {
    expect(response.status).toBe(200)
    return await response.json() as Tokens
  }

  it(verifies("token.refresh") + "F2: is exchanged for new tokens, itself among them; older access tokens live on", async () => {
    const { connect, mcpStatus, refresh } = makeOAuth(context())
    const { client, tokens } = await connect()
    const next = await tokensOf(await refresh(client.client_id, tokens.refresh_token))
    expect(next).toEqual({
      access_token: expect.stringMatching(/^coppice_at_/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^coppice_rt_/),
      scope: tokens.scope,
      id_token: expect.any(String)
    })
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    for (const { access_token } of [tokens, next]) expect(await mcpStatus(access_token)).toBe(200)
  })

  it("F3, F4, F5, F12: may be used again, by many at once, for two minutes; each gets tokens of the same grant", async () => {
    const { ahead, database } = context()
    const { connect, mcpStatus, refresh, revoke } = makeOAuth(context())
    const { client, tokens } = await connect()
    const before = database.grants.size
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(client.client_id, tokens.refresh_token)))
    const children = await Promise.all(answers.map(tokensOf))
    ahead.millis += 110_000
    children.push(await tokensOf(await refresh(client.client_id, tokens.refresh_token)))
    expect(new Set(children.map(({ refresh_token }) => refresh_token)).size).toBe(11)
    for (const { access_token } of children) expect(await mcpStatus(access_token)).toBe(200)
    expect(database.grants.size).toBe(before)
    // No fork of the family outlives it.
    expect((await revoke({ token: children[3]!.refresh_token })).status).toBe(200)
    for (const { access_token, refresh_token } of children) {
      expect(await mcpStatus(access_token)).toBe(401)
      expect(await failure(await refresh(client.client_id, refresh_token))).toEqual([400, "invalid_grant"])
    }
  })

  it("F4: may not be used again more often than that: its whole grant ends", async () => {
    const { connect, mcpStatus, refresh } = makeOAuth(context())
    const { client, tokens } = await connect()
    for (let use = 0; use <= 10; use++) await tokensOf(await refresh(client.client_id, tokens.refresh_token))
    expect(await failure(await refresh(client.client_id, tokens.refresh_token))).toEqual([400, "invalid_grant"])
    expect(await mcpStatus(tokens.access_token)).toBe(401)
  })

  it("F6: ends its whole grant where it comes again after that, and that is on record", async () => {
    const { ahead, database } = context()
    const { connect, mcpStatus, refresh } = makeOAuth(context())
    const { client, person, tokens } = await connect()
    const next = await tokensOf(await refresh(client.client_id, tokens.refresh_token))
    ahead.millis += 120_000
    expect(await failure(await refresh(client.client_id, tokens.refresh_token))).toEqual([400, "invalid_grant"])
    for (const { access_token } of [tokens, next]) expect(await mcpStatus(access_token)).toBe(401)
    expect(await failure(await refresh(client.client_id, next.refresh_token))).toEqual([400, "invalid_grant"])
    const entries = [...database.auditEntries.values()].filter(({ organizationId }) => organizationId === person.activeOrganizationId)
    expect(entries.filter(({ action }) => action === "grant.reuse_detected")).toHaveLength(1)
  })

  it("F8, T11: is of its own client, which proves itself; what another one tries harms nothing", async () => {
    const { code, mcpStatus, redeem, refresh, register } = makeOAuth(context())
    const client = await register({ token_endpoint_auth_method: "client_secret_post" })
    const secret = { client_secret: client.client_secret }
    const tokens = await tokensOf(await redeem(client.client_id, (await code(client.client_id)).code, secret))
    const other = await register()
    expect(await failure(await refresh(other.client_id, tokens.refresh_token))).toEqual([400, "invalid_grant"])
    expect(await failure(await refresh(client.client_id, tokens.refresh_token))).toEqual([400, "invalid_client"])
    expect(await mcpStatus(tokens.access_token)).toBe(200)
    await tokensOf(await refresh(client.client_id, tokens.refresh_token, secret))
  })

  it("F9, F10: narrows scope and resource and never widens them, and is not used by an attempt to", async () => {
    const { base } = context()
    const { connect, refresh } = makeOAuth(context())
    const { client, tokens } = await connect({ scope: "openid email offline_access" })
    const { refresh_token } = tokens
    const cases: ReadonlyArray<readonly [Fields, string]> = [
      [{ scope: "openid profile" }, "invalid_scope"],
      [{ scope: "admin" }, "invalid_scope"],
      [{ resource: "https://evil.example" }, "invalid_target"]
    ]
    // Had one of these used it, so many uses would have ended the grant.
    for (let turn = 0; turn < 5; turn++) {
      for (const [fields, error] of cases) expect(await failure(await refresh(client.client_id, refresh_token, fields))).toEqual([400, error])
    }
    const narrow = await tokensOf(await refresh(client.client_id, refresh_token, { scope: "email", resource: `${base}/mcp` }))
    expect([narrow.scope, narrow.id_token]).toEqual(["email", undefined])
    const wide = await tokensOf(await refresh(client.client_id, narrow.refresh_token))
    expect(wide.scope).toBe("openid email offline_access")
  })

  it("F13, F7: ends after 30 days without use, and 90 days after the person's consent, used or not", async () => {
    const { ahead } = context()
    const { connect, refresh } = makeOAuth(context())
    const [early, idle] = [await connect(), await connect()]
    ahead.millis += 30 * day - 60_000
    await tokensOf(await refresh(early.client.client_id, early.tokens.refresh_token))
    ahead.millis += 60_000
    expect(await failure(await refresh(idle.client.client_id, idle.tokens.refresh_token))).toEqual([400, "invalid_grant"])
    const used = await connect()
    let { refresh_token } = used.tokens
    for (let days = 0; days < 80; days += 20) {
      ahead.millis += 20 * day
      refresh_token = (await tokensOf(await refresh(used.client.client_id, refresh_token))).refresh_token
    }
    ahead.millis += 10 * day - 30 * 60_000
    const last = await tokensOf(await refresh(used.client.client_id, refresh_token))
    expect(last.expires_in).toBeLessThanOrEqual(1800)
    expect(last.expires_in).toBeGreaterThan(1740)
    ahead.millis += 31 * 60_000
    expect(await failure(await refresh(used.client.client_id, last.refresh_token))).toEqual([400, "invalid_grant"])
  })

  it("F14, D9: is worth nothing once its person has left, or its client is gone", async () => {
    const { database } = context()
    const { connect, mcpStatus, refresh } = makeOAuth(context())
    const left = await connect()
    for (const [id, { userId }] of database.members) if (userId === left.person.id) database.members.delete(id)
    expect(await failure(await refresh(left.client.client_id, left.tokens.refresh_token))).toEqual([400, "invalid_grant"])
    expect(await mcpStatus(left.tokens.access_token)).toBe(401)
    const swept = await connect()
    database.oauthClients.delete(swept.client.client_id as never)
    expect(await failure(await refresh(swept.client.client_id, swept.tokens.refresh_token))).toEqual([400, "invalid_client"])
  })
}, manyRegistrations)
