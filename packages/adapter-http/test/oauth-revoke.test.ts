import { CurrentPrincipal, listGrants, type Principal, revokeGrant, type User } from "@coppice/core"
import { verifies } from "@coppice/testkit/conformance"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeMatrix, errorOf } from "./support/matrix.ts"
import { basic, failure, makeOAuth, manyRegistrations, type Tokens } from "./support/oauth.ts"
import { initialize, send } from "./support/rpc.ts"

const as = (user: User, role: Principal["role"] = "owner") =>
  Effect.provideService(CurrentPrincipal, { organizationId: user.activeOrganizationId, userId: user.id, role })

describeMatrix("revocation", (context) => {
  it(verifies("revoke.post-form", "revoke.200-idempotent", "revoke.client-id", "revoke.401-on-next-request")
    + "V4, V6: ends an access token alone, and with a refresh token the whole grant, for whoever holds it", async () => {
    const { database } = context()
    const { connect, mcpStatus, refresh, revoke } = makeOAuth(context())
    const { client, person, tokens } = await connect()
    const next = await (await refresh(client.client_id, tokens.refresh_token)).json() as Tokens
    for (let time = 0; time < 2; time++) {
      const response = await revoke({ token: tokens.access_token })
      expect([response.status, response.headers.get("cache-control"), response.headers.get("pragma")]).toEqual([200, "no-store", "no-cache"])
      expect(await mcpStatus(tokens.access_token)).toBe(401)
    }
    expect(await mcpStatus(next.access_token)).toBe(200)
    for (let time = 0; time < 2; time++) {
      expect((await revoke({ token: next.refresh_token, client_id: client.client_id })).status).toBe(200)
    }
    expect(await mcpStatus(next.access_token)).toBe(401)
    expect(await failure(await refresh(client.client_id, next.refresh_token))).toEqual([400, "invalid_grant"])
    const entries = [...database.auditEntries.values()].filter(({ organizationId }) => organizationId === person.activeOrganizationId)
    expect(entries.filter(({ action }) => action === "grant.revoked")).toHaveLength(1)
  })

  it("V1, K4: answers 200 to what is no token of ours, or of another kind, and changes nothing", async () => {
    const { addKey, newToken } = context()
    const { connect, mcpStatus, revoke } = makeOAuth(context())
    const { code, tokens } = await connect()
    const { key } = await addKey()
    for (const token of ["x", "a.b.c", key, await newToken(), code, `${tokens.access_token}x`, tokens.access_token.slice(0, -1), tokens.id_token!]) {
      expect((await revoke({ token })).status).toBe(200)
    }
    for (const bearer of [key, tokens.access_token]) expect(await mcpStatus(bearer)).toBe(200)
  })

  it(verifies("revoke.token-required") + "V2: asks for a token", async () => {
    const { revoke } = makeOAuth(context())
    for (const fields of [{}, { token: "" }, { client_id: "x" }, "token=a&token=b"]) {
      expect(await failure(await revoke(fields))).toEqual([400, "invalid_request"])
    }
    expect(await failure(await revoke({ token: "x" }, { "content-type": "application/json" }))).toEqual([400, "invalid_request"])
  })

  it(verifies("revoke.token-type-hint") + "V3: goes by the token, whatever the hint says", async () => {
    const { connect, mcpStatus, revoke } = makeOAuth(context())
    for (const token_type_hint of ["access_token", "refresh_token", "nonsense", undefined]) {
      const { tokens } = await connect()
      for (const token of [tokens.access_token, tokens.refresh_token]) expect((await revoke({ token, token_type_hint })).status).toBe(200)
      expect(await mcpStatus(tokens.access_token)).toBe(401)
    }
  })

  it("V5, T11: does nothing for another client; a confidential one proves itself", async () => {
    const { code, connect, mcpStatus, redeem, register, revoke } = makeOAuth(context())
    const { tokens } = await connect()
    const other = await register()
    for (const client_id of [other.client_id, "nobody", "0198c5a0-1111-7222-8333-44445f3f9a21"]) {
      for (const token of [tokens.access_token, tokens.refresh_token]) expect((await revoke({ token, client_id })).status).toBe(200)
    }
    expect(await mcpStatus(tokens.access_token)).toBe(200)
    const client = await register({ token_endpoint_auth_method: "client_secret_basic" })
    const authorization = basic(client.client_id, client.client_secret!)
    const theirs = await (await redeem(client.client_id, (await code(client.client_id)).code, {}, { authorization })).json() as Tokens
    expect(await failure(await revoke({ token: theirs.access_token, client_id: client.client_id }))).toEqual([400, "invalid_client"])
    expect(await failure(await revoke({ token: theirs.access_token }, { authorization: basic(client.client_id, "x") }))).toEqual([401, "invalid_client"])
    expect(await mcpStatus(theirs.access_token)).toBe(200)
    expect((await revoke({ token: theirs.access_token }, { authorization })).status).toBe(200)
    expect(await mcpStatus(theirs.access_token)).toBe(401)
  })

  it("K13: ends what the token had open, at once", async () => {
    const { fetch } = context()
    const { connect, revoke } = makeOAuth(context())
    for (const kind of ["access_token", "refresh_token"] as const) {
      const { tokens } = await connect()
      const begun = await fetch("/mcp", send(tokens.access_token, initialize("2025-11-25")))
      const session = begun.headers.get("mcp-session-id")!
      const stream = await fetch("/mcp", {
        headers: { authorization: `Bearer ${tokens.access_token}`, accept: "text/event-stream", "mcp-session-id": session }
      })
      expect(stream.status).toBe(200)
      const over = stream.text()
      await revoke({ token: tokens[kind] })
      expect(await over).toContain("data:")
    }
  })

  it("V7, C7: a person sees and ends what they allowed; an admin sees and ends everybody's", async () => {
    const { database, runtime } = context()
    const { code, connect, mcpStatus, newPerson, redeem, refresh } = makeOAuth(context())
    const owner = await newPerson()
    const member = { ...await newPerson(), activeOrganizationId: owner.activeOrganizationId }
    const row = [...database.members.values()].find(({ userId }) => userId === owner.id)!
    const memberRow = { ...row, id: member.id as never, userId: member.id, role: "member" as const }
    database.members.set(memberRow.id, memberRow)
    const [ofOwner, ofMember] = [await connect({}, { client_name: "A" }, owner), await connect({}, { client_name: "B" }, member)]
    const pending = await code(ofMember.client.client_id, {}, member)
    const list = (user: User, role: Principal["role"], everybodys = false) =>
      runtime.runPromise(as(user, role)(Effect.map(listGrants({}, { everybodys }), ({ items }) => items)))
    const namesOf = (items: Awaited<ReturnType<typeof list>>) => items.map(({ clientName }) => clientName)
    expect(namesOf(await list(member, "member"))).toEqual(["B", "B"])
    expect(namesOf(await list(owner, "owner"))).toEqual(["A"])
    expect(namesOf(await list(owner, "owner", true))).toEqual(["B", "B", "A"])
    await expect(list(member, "member", true)).rejects.toMatchObject({ code: "FORBIDDEN" })
    const [grantOfOwner] = await list(owner, "owner")
    expect(grantOfOwner).toMatchObject({ redirectUri: "https://app.example/cb", organizationId: owner.activeOrganizationId })
    const end = (user: User, role: Principal["role"], id: string) => runtime.runPromise(as(user, role)(revokeGrant(id)))
    await expect(end(member, "member", grantOfOwner!.id)).rejects.toMatchObject({ code: "NOT_FOUND" })
    await expect(end(await newPerson(), "owner", grantOfOwner!.id)).rejects.toMatchObject({ code: "NOT_FOUND" })
    await expect(end(owner, "owner", "x")).rejects.toMatchObject({ code: "NOT_FOUND" })
    expect(await mcpStatus(ofOwner.tokens.access_token)).toBe(200)
    for (const { id } of await list(member, "member")) await end(owner, "admin", id)
    expect(await mcpStatus(ofMember.tokens.access_token)).toBe(401)
    expect(await failure(await refresh(ofMember.client.client_id, ofMember.tokens.refresh_token))).toEqual([400, "invalid_grant"])
    expect(await failure(await redeem(ofMember.client.client_id, pending.code))).toEqual([400, "invalid_grant"])
    expect(await list(member, "member")).toEqual([])
    await end(owner, "owner", grantOfOwner!.id)
    const answer = await makeOAuth(context()).mcp(ofOwner.tokens.access_token)
    expect([answer.status, (await errorOf(answer)).code]).toEqual([401, "UNAUTHORIZED"])
  })
}, manyRegistrations)
