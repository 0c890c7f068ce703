import { expect, it } from "vitest"
import { describeMatrix } from "./support/matrix.ts"
import { type Fields, makeOAuth, manyRegistrations, oauth } from "./support/oauth.ts"

describeMatrix("the limit on authorization requests", (context) => {
  const ask = async (clientId: string, from: string, fields?: Fields) =>
    context().fetch(`${oauth}/authorize?${makeOAuth(context()).query(clientId, fields)}`, {
      redirect: "manual",
      headers: { "x-forwarded-for": from }
    })

  it("holds back an address, and then everybody, with a page, and stores nothing", async () => {
    const { ahead, database } = context()
    const { client_id } = await makeOAuth(context()).register()
    for (let sent = 0; sent < 3; sent++) expect((await ask(client_id, "192.0.2.1")).status).toBe(302)
    const before = database.authorizationRequests.size
    // Neither a good request nor one that would be sent back to the client goes anywhere.
    for (const fields of [{}, { prompt: "none" }]) {
      const refused = await ask(client_id, "192.0.2.1", fields)
      expect([refused.status, refused.headers.get("location"), refused.headers.get("content-type")]).toEqual([429, null, "text/html; charset=utf-8"])
      const seconds = Number(refused.headers.get("retry-after"))
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(await refused.text()).toContain("Too many")
    }
    expect(database.authorizationRequests.size).toBe(before)
    // What an address sends beyond its own limit uses up nothing of the others'.
    for (let sent = 0; sent < 10; sent++) expect((await ask(client_id, "192.0.2.1")).status).toBe(429)
    const behindProxy = (await ask(client_id, "192.0.2.2")).status
    if (behindProxy === 429) return // In process there is no socket, and so no proxy to trust: all is one address.
    expect((await ask(client_id, "2001:db8::1")).status).toBe(302)
    expect((await ask(client_id, "192.0.2.3")).status).toBe(429)
    ahead.millis += 61_000
    expect((await ask(client_id, "192.0.2.1")).status).toBe(302)
  })
}, {
  ...manyRegistrations,
  trustedProxies: ["127.0.0.1"],
  authorizations: { address: { max: 3, windowSeconds: 60 }, all: { max: 5, windowSeconds: 60 } }
})

describeMatrix("authorization requests from one network", (context) => {
  it("count together where they come from one /64, and are more than 60 a minute by default", async () => {
    const { client_id } = await makeOAuth(context()).register()
    const path = `${oauth}/authorize?${makeOAuth(context()).query(client_id)}`
    let last = 302
    let accepted = 0
    for (; last === 302 && accepted < 200; accepted++) {
      const headers = { "x-forwarded-for": `2001:db8::${accepted.toString(16)}` }
      last = (await context().fetch(path, { redirect: "manual", headers })).status
    }
    expect(last).toBe(429)
    expect(accepted).toBeGreaterThan(60)
  })
}, { trustedProxies: ["127.0.0.1"] })
