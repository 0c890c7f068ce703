import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix, errorOf } from "./support/matrix.ts"
import { mebibyte, padded, post } from "./support/webhook-request.ts"

describeMatrix("webhook", (context) => {
  it(verifies("webhook.post", "webhook.url-shape", "webhook.accepted-200", "webhook.bearer-token", "auth.webhook-token",
    "webhook.body-object", "webhook.content-type-json", "service.webhook-starts-one-run")
    + "answers 200 with the run that it started", async () => {
    const { addAutomation, database, fetch, payloadsOf } = context()
    const { id, path, token } = await addAutomation()
    const response = await fetch(path, post(token, "{\"a\": 1}"))
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/json")
    const answer = await response.json() as { runId: string }
    expect(answer).toEqual({ runId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/), status: "queued" })
    expect([...database.runs.values()].find(({ run }) => run.id === answer.runId)?.run.automationId).toBe(id)
    expect(payloadsOf(id).map(String)).toEqual(["{\"a\": 1}"])
  })

  it(verifies("webhook.body-array") + "takes an array", async () => {
    const { path, token } = await context().addAutomation()
    expect((await context().fetch(path, post(token, "[]"))).status).toBe(200)
  })

  it(verifies("webhook.no-deduplication", "event.one-run-per-post") + "starts a run for each POST, equal or not", async () => {
    const { addAutomation, fetch, payloadsOf } = context()
    const { id, path, token } = await addAutomation()
    const init = post(token, "{}", { "idempotency-key": "1", "webhook-id": "1" })
    const answers = await Promise.all([1, 2, 3].map(async () => await (await fetch(path, init)).json() as { runId: string }))
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(3)
    expect(payloadsOf(id)).toHaveLength(3)
  })

  it(verifies("webhook.missing-token-401", "webhook.invalid-token-401", "webhook.own-credential", "webhook.error-statuses",
    "mcp.401-www-authenticate")
    + "answers whatever is wrong with the token by the same 401", async () => {
    const { addAutomation, addKey, base, database, fetch, newToken, watch } = context()
    const { path, token } = await addAutomation()
    const other = await addAutomation()
    const before = { runs: database.runs.size, inbox: watch.inbox }
    const unknown = "/api/automations/webhook/0199a000-0000-7000-8000-000000000001"
    const responses = [
      await fetch(path, post(undefined, "{}")),
      await fetch(path, post(`${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`, "{}")),
      await fetch(path, post("nonsense", "{}")),
      await fetch(path, post((await addKey()).key, "{}")),
      await fetch(`${path}?token=${token}&access_token=${token}`, post(undefined, "{}")),
      await fetch(path, { ...post(undefined, "{}"), headers: { authorization: `Basic ${token}` } }),
      await fetch("/api/automations/webhook/nonsense", post(token, "{}")),
      await fetch(`${path.toUpperCase().replace("/API/AUTOMATIONS/WEBHOOK/", "/api/automations/webhook/")}%00`, post(token, "{}"))
    ]
    expect(watch.inbox).toBe(before.inbox)
    responses.push(
      await fetch(path, post(await newToken(), "{}")),
      await fetch(path, post(other.token, "{}")),
      await fetch(unknown, post(token, "{}")),
      await fetch(path, post(await newToken(), padded(200_000))),
      await fetch(path, post(await newToken(), "not json"))
    )
    const bodies = new Set<string>()
    for (const response of responses) {
      expect(response.status).toBe(401)
      expect(response.headers.get("www-authenticate")).toBe(
        `Bearer realm="coppice", resource_metadata="${base}/.well-known/oauth-protected-resource"`
      )
      expect(response.headers.get("ratelimit-limit")).toBeNull()
      bodies.add(await response.text())
    }
    expect(bodies.size).toBe(1)
    expect(JSON.parse([...bodies][0]!).error.code).toBe("UNAUTHORIZED")
    expect(database.runs.size).toBe(before.runs)
  })

  it("takes the scheme in any case", async () => {
    const { addAutomation, fetch } = context()
    const { path, token } = await addAutomation()
    const init = post(undefined, "{}")
    expect((await fetch(path, { ...init, headers: { ...init.headers, authorization: `bEARER ${token}` } })).status).toBe(200)
  })

  it(verifies("webhook.paused-400") + "refuses while the automation is paused, and only after the body's faults", async () => {
    const { addAutomation, fetch, payloadsOf } = context()
    const { id, path, put, token } = await addAutomation()
    put("paused", token)
    const codes = []
    for (const body of ["{}", padded(100_000), "nope", padded(mebibyte + 1)]) {
      const response = await fetch(path, post(token, body))
      codes.push([response.status, (await errorOf(response)).code, response.headers.get("ratelimit-limit")])
    }
    expect(codes).toEqual([
      [400, "AUTOMATION_PAUSED", "300"],
      [400, "AUTOMATION_PAUSED", "300"],
      [400, "INVALID_JSON", "300"],
      [413, "PAYLOAD_TOO_LARGE", "300"]
    ])
    expect(payloadsOf(id)).toHaveLength(0)
  })

  it(verifies("webhook.over-300-per-minute-429", "limit.webhook-300-per-minute", "webhook.rate-limit-retry-after")
    + "admits 300 in a minute, counted by the automation", async () => {
    const { addAutomation, ahead, fetch, payloadsOf } = context()
    const { id, path, token } = await addAutomation()
    const other = await addAutomation()
    const first = await fetch(path, post(token, "{}"))
    expect(first.headers.get("ratelimit-limit")).toBe("300")
    expect(first.headers.get("ratelimit-remaining")).toBe("299")
    expect(first.headers.get("ratelimit-reset")).toBe("60")
    expect(first.headers.get("ratelimit-policy")).toBe("300;w=60")
    expect(first.headers.get("retry-after")).toBeNull()
    for (let sent = 1; sent < 300; sent++) expect((await fetch(path, post(token, "{}"))).status).toBe(200)
    for (const body of ["{}", "not json", padded(100_000), padded(mebibyte + 1)]) {
      const refused = await fetch(path, post(token, body))
      expect(refused.status).toBe(429)
      expect((await errorOf(refused)).code).toBe("RATE_LIMITED")
      expect(refused.headers.get("retry-after")).toBe(refused.headers.get("ratelimit-reset"))
      expect(refused.headers.get("ratelimit-remaining")).toBe("0")
      expect(refused.headers.get("ratelimit-policy")).toBe("300;w=60")
    }
    expect(payloadsOf(id)).toHaveLength(300)
    expect((await fetch(other.path, post(other.token, "{}"))).status).toBe(200)
    ahead.millis += 60_000
    expect((await fetch(path, post(token, "{}"))).status).toBe(200)
  })

  it("asks the inbox once for a small body, and first without a run for a large one", async () => {
    const { addAutomation, watch, fetch } = context()
    const { path, token } = await addAutomation()
    const before = watch.inbox
    await fetch(path, post(token, "{}"))
    expect(watch.inbox - before).toBe(1)
    const large = await fetch(path, post(token, padded(65_537)))
    expect(watch.inbox - before).toBe(3)
    expect(large.headers.get("ratelimit-remaining")).toBe("298")
  })

  it(verifies("webhook.regenerate-replaces-token", "webhook.old-token-stops-at-once", "webhook.active-accepts")
    + "serves a new token, and the old one no more, from the next request on", async () => {
    const { addAutomation, fetch, newToken } = context()
    const { path, put, token } = await addAutomation()
    const fresh = await newToken()
    expect((await fetch(path, post(token, "{}"))).status).toBe(200)
    put("active", fresh)
    expect((await fetch(path, post(token, "{}"))).status).toBe(401)
    expect((await fetch(path, post(fresh, "{}"))).headers.get("ratelimit-remaining")).toBe("298")
  })
})
