import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix } from "./support/matrix.ts"
import { failure, type Fields, makeOAuth, manyRegistrations, type Tokens, verifier } from "./support/oauth.ts"

describeMatrix("a code", (context) => {
  it(verifies("token.post-form", "token.200", "token.code-exchange", "token.code-verifier", "token.access-token", "token.type-bearer",
    "token.expires-in-3600", "token.scope", "token.access-token-on-mcp", "limit.access-token-3600-seconds", "auth.access-token")
    + "A12, T16: is exchanged for an access token, which serves on both MCP addresses for 3600 seconds", async () => {
    const { ahead } = context()
    const { code, mcpStatus, redeem, register } = makeOAuth(context())
    const { client_id } = await register()
    const response = await redeem(client_id, (await code(client_id)).code)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"])
    expect([response.headers.get("cache-control"), response.headers.get("pragma")]).toEqual(["no-store", "no-cache"])
    const tokens = await response.json() as Tokens
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^coppice_at_[A-Za-z0-9]{49}$/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^coppice_rt_[A-Za-z0-9]{49}$/),
      scope: "openid profile email offline_access",
      id_token: expect.any(String)
    })
    for (const path of ["/mcp", "/api/v2/agent/mcp"]) expect(await mcpStatus(tokens.access_token, path)).toBe(200)
    // K8.
    ahead.millis += 3599_000
    expect(await mcpStatus(tokens.access_token)).toBe(200)
    ahead.millis += 1_000
    expect(await mcpStatus(tokens.access_token)).toBe(401)
  })

  it(verifies("token.refresh-token-with-offline-access", "token.id-token", "auth.scopes") + "F1: gives a refresh token with offline_access, and an ID token with openid, and neither without", async () => {
    const { connect } = makeOAuth(context())
    for (const [scope, metadata, has] of [
      ["openid offline_access", {}, ["refresh_token", "id_token"]],
      ["openid", {}, ["id_token"]],
      ["email offline_access", {}, ["refresh_token"]],
      ["profile", {}, []],
      [undefined, {}, ["refresh_token", "id_token"]],
      [undefined, { grant_types: ["authorization_code"] }, ["id_token"]],
      ["openid offline_access", { grant_types: ["authorization_code"] }, ["id_token"]]
    ] as const) {
      const { tokens } = await connect({ scope }, metadata)
      expect([scope, metadata, Object.keys(tokens).filter((name) => name === "refresh_token" || name === "id_token")]).toEqual([scope, metadata, [...has]])
      expect(tokens.scope!.split(" ").includes("offline_access")).toBe(has.includes("refresh_token" as never))
    }
  })

  it("T1: is redeemed by one of twenty who try at once, and that one's tokens live on", async () => {
    const { code, mcpStatus, redeem, register } = makeOAuth(context())
    const { client_id } = await register()
    const approved = await code(client_id)
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(client_id, approved.code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 400)])
    for (const answer of answers.filter(({ status }) => status === 400)) expect(await failure(answer)).toEqual([400, "invalid_grant"])
    const tokens = await answers.find(({ status }) => status === 200)!.json() as Tokens
    expect(await mcpStatus(tokens.access_token)).toBe(200)
  })

  it("T2, T4: takes all that came of it with it when it comes again, but for its own client's quick repetition", async () => {
    const { ahead, database } = context()
    const { connect, mcpStatus, redeem, refresh } = makeOAuth(context())
    const { client: { client_id }, code, tokens, person } = await connect()
    expect(await failure(await redeem(client_id, code))).toEqual([400, "invalid_grant"])
    ahead.millis += 9_000
    expect(await failure(await redeem(client_id, code))).toEqual([400, "invalid_grant"])
    expect(await mcpStatus(tokens.access_token)).toBe(200)
    ahead.millis += 1000
    expect(await failure(await redeem(client_id, code))).toEqual([400, "invalid_grant"])
    expect(await mcpStatus(tokens.access_token)).toBe(401)
    expect(await failure(await refresh(client_id, tokens.refresh_token))).toEqual([400, "invalid_grant"])
    const entries = [...database.auditEntries.values()].filter(({ organizationId }) => organizationId === person.activeOrganizationId)
    expect(entries.filter(({ action }) => action === "grant.reuse_detected")).toHaveLength(1)
  })

  it("T2: does so at once where whoever presents it again has not the verifier", async () => {
    const { connect, mcpStatus, redeem } = makeOAuth(context())
    const { client: { client_id }, code, tokens } = await connect()
    expect(await failure(await redeem(client_id, code, { code_verifier: "w".repeat(50) }))).toEqual([400, "invalid_grant"])
    expect(await mcpStatus(tokens.access_token)).toBe(401)
  })

  it("T3: cannot be used against a grant by another client, or by who made it up", async () => {
    const { connect, mcpStatus, redeem, register } = makeOAuth(context())
    const { client, code, tokens } = await connect()
    const other = await register()
    for (const [clientId, presented] of [[other.client_id, code], [client.client_id, `${code.slice(0, -1)}x`], [client.client_id, code.slice(0, 20)], [client.client_id, "x"]] as const) {
      expect(await failure(await redeem(clientId, presented))).toEqual([400, "invalid_grant"])
    }
    expect(await mcpStatus(tokens.access_token)).toBe(200)
  })

  it("T5, T7: is not used up by what does not fit, until that has come too often", async () => {
    const { code, newPerson, redeem, register } = makeOAuth(context())
    const [{ client_id }, other, person] = [await register(), await register(), await newPerson()]
    const approved = await code(client_id, {}, person)
    const cases: ReadonlyArray<readonly [string, Fields, string]> = [
      [other.client_id, {}, "invalid_grant"],
      [client_id, { redirect_uri: "https://app.example/other" }, "invalid_grant"],
      [client_id, { code_verifier: "w".repeat(50) }, "invalid_grant"],
      [client_id, { code_verifier: undefined }, "invalid_request"],
      [client_id, { code_verifier: "short" }, "invalid_request"],
      [client_id, { code_verifier: `${verifier}+` }, "invalid_request"],
      [client_id, { resource: "https://evil.example" }, "invalid_target"],
      [client_id, { code: undefined }, "invalid_request"]
    ]
    for (const [id, fields, error] of cases) expect([fields, await failure(await redeem(id, approved.code, fields))]).toEqual([fields, [400, error]])
    expect((await redeem(client_id, approved.code)).status).toBe(200)

    const guessed = await code(client_id, {}, person)
    for (let guess = 0; guess < 5; guess++) {
      expect(await failure(await redeem(client_id, guessed.code, { code_verifier: `${guess}`.repeat(50) }))).toEqual([400, "invalid_grant"])
    }
    expect(await failure(await redeem(client_id, guessed.code))).toEqual([400, "invalid_grant"])
  })

  it(verifies("token.invalid-grant") + "T8: lasts a minute", async () => {
    const { ahead } = context()
    const { code, redeem, register } = makeOAuth(context())
    const { client_id } = await register()
    const [early, late] = [await code(client_id), await code(client_id)]
    ahead.millis += 55_000
    expect((await redeem(client_id, early.code)).status).toBe(200)
    ahead.millis += 5_000
    expect(await failure(await redeem(client_id, late.code))).toEqual([400, "invalid_grant"])
  })

  it("R4: is redeemed with the loopback port that was asked for; OAuth 2.1 clients leave the redirect URI out", async () => {
    const { code, redeem, register } = makeOAuth(context())
    const { client_id } = await register({ redirect_uris: ["http://127.0.0.1/cb"] })
    const used = "http://127.0.0.1:41234/cb"
    const first = await code(client_id, { redirect_uri: used })
    expect(await failure(await redeem(client_id, first.code, { redirect_uri: "http://127.0.0.1/cb" }))).toEqual([400, "invalid_grant"])
    expect((await redeem(client_id, first.code, { redirect_uri: used })).status).toBe(200)
    const second = await code(client_id, { redirect_uri: used })
    expect((await redeem(client_id, second.code, { redirect_uri: undefined })).status).toBe(200)
  })

  it("F14: is worth nothing once its person has left the organization", async () => {
    const { database } = context()
    const { code, redeem, register } = makeOAuth(context())
    const { client_id } = await register()
    const { code: presented, person } = await code(client_id)
    for (const [id, { userId }] of database.members) if (userId === person.id) database.members.delete(id)
    expect(await failure(await redeem(client_id, presented))).toEqual([400, "invalid_grant"])
  })
}, manyRegistrations)
