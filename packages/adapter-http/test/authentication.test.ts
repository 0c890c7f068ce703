import { verifies } from "@coppice/testkit/conformance"
import { DateTime, Effect } from "effect"
import { expect, it } from "vitest"
import { ApiKeyStore } from "@coppice/core/ports"
import { describeMatrix, errorOf } from "./support/matrix.ts"

const ping = (authorization: string | undefined, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  headers: { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }), ...headers }
})

describeMatrix("authentication", (context) => {
  it(verifies("mcp.post-401", "mcp.missing-credential-401", "mcp.default-bearer", "mcp.401-code", "mcp.401-www-authenticate",
    "error.envelope", "error.code", "error.message", "error.hint")
    + "answers 401 with where to find the way in, on both addresses", async () => {
    const { addKey, base, fetch, newToken, watch } = context()
    const { key } = await addKey()
    const before = watch.keys
    const wrong = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`
    for (const authorization of [
      undefined, "", "Bearer", "Bearer ", `Basic ${key}`, key, `Bearer ${wrong}`, `Bearer ${key} x`, `Bearer ${key}, Bearer ${key}`,
      `Bearer ${await newToken()}`, "Bearer undefined"
    ]) {
      for (const path of ["/mcp", "/api/v2/agent/mcp", `/mcp?access_token=${key}&api_key=${key}`]) {
        const response = await fetch(path, ping(authorization))
        expect(response.status).toBe(401)
        expect(response.headers.get("www-authenticate")).toBe(
          `Bearer realm="coppice", resource_metadata="${base}/.well-known/oauth-protected-resource"`
        )
        const text = await response.text()
        expect(JSON.parse(text)).toEqual({
          error: { code: "UNAUTHORIZED", message: expect.any(String), hint: expect.any(String) }
        })
        expect(response.headers.get("ratelimit-limit")).toBeNull()
      }
    }
    // A typo is told by its checksum: the store was never asked.
    expect(watch.keys).toBe(before)
  })

  it("takes the scheme in any case", async () => {
    const { key } = await context().addKey()
    expect((await context().fetch("/mcp", ping(`BEARER ${key}`))).status).toBe(200)
  })

  it(verifies("auth.api-key-revoked-401", "mcp.revoked-credential-401") + "refuses a revoked key on the next request", async () => {
    const { addKey, fetch, runtime } = context()
    const { id, key, organizationId } = await addKey()
    expect((await fetch("/mcp", ping(`Bearer ${key}`))).status).toBe(200)
    await runtime.runPromise(Effect.flatMap(DateTime.now, (at) => ApiKeyStore.use((keys) => keys.revoke(organizationId, {}, id, at))))
    expect((await fetch("/mcp", ping(`Bearer ${key}`))).status).toBe(401)
  })

  it(verifies("mcp.expired-credential-401") + "refuses an expired key, and one whose user is no member any more", async () => {
    const { addKey, database, fetch } = context()
    const expired = await addKey()
    const row = database.apiKeys.get(expired.id)!
    database.apiKeys.set(expired.id, { ...row, key: { ...row.key, expiresAt: DateTime.makeUnsafe(1) } })
    expect((await fetch("/mcp", ping(`Bearer ${expired.key}`))).status).toBe(401)
    const left = await addKey()
    database.members.delete(left.memberId)
    expect((await fetch("/mcp", ping(`Bearer ${left.key}`))).status).toBe(401)
  })
})

describeMatrix("failed credentials", (context) => {
  it("slows an address down that guesses, never a good credential, and never hides an expired one", async () => {
    const { addKey, ahead, database, fetch } = context()
    const good = await addKey()
    const revoked = await addKey()
    const row = database.apiKeys.get(revoked.id)!
    database.apiKeys.set(revoked.id, { ...row, key: { ...row.key, revokedAt: DateTime.makeUnsafe(1) } })
    const guess = () => fetch("/mcp", ping("Bearer coppice_ak_guess"))
    for (let tries = 0; tries < 5; tries++) expect((await guess()).status).toBe(401)
    const slowed = await guess()
    expect(slowed.status).toBe(429)
    expect((await errorOf(slowed)).code).toBe("RATE_LIMITED")
    expect(Number(slowed.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await fetch("/mcp", ping(`Bearer ${good.key}`))).status).toBe(200)
    expect((await fetch("/mcp", ping(`Bearer ${revoked.key}`))).status).toBe(401)
    expect((await fetch("/mcp", ping(undefined))).status).toBe(401)
    ahead.millis += 60_000
    expect((await guess()).status).toBe(401)
  })
}, { failedCredentials: { max: 5, windowSeconds: 60 } })
