import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix, errorOf } from "./support/matrix.ts"

type Body = NonNullable<RequestInit["body"]>

const mebibyte = 1_048_576
const post = (token: string | undefined, body?: Body, headers: Record<string, string> = {}) => ({
  method: "POST",
  ...(body === undefined ? {} : { body }),
  headers: {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers
  }
})
const padded = (bytes: number) => `["${"x".repeat(bytes - 4)}"]`
const stream = (...chunks: ReadonlyArray<string>) => new ReadableStream({
  start(controller) {
    for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
    controller.close()
  }
})

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

  it.each<[string, Body | undefined, Record<string, string>]>([
    ["no body", undefined, {}],
    ["no bytes as JSON", "", {}],
    ["no bytes as text", "", { "content-type": "text/plain" }],
    ["no bytes with an encoding", "", { "content-encoding": "gzip" }]
  ])(verifies("webhook.body-empty") + "takes %s as {}", async (_, body, headers) => {
    const { addAutomation, fetch, payloadsOf } = context()
    const { id, path, token } = await addAutomation()
    expect((await fetch(path, post(token, body, headers))).status).toBe(200)
    expect(payloadsOf(id).map(String)).toEqual(["{}"])
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

  it(verifies("webhook.body-exactly-1-mib", "webhook.body-over-1-mib-413", "limit.webhook-body-1-mib")
    + "takes 1 MiB and refuses one byte more", async () => {
    const { addAutomation, fetch, payloadsOf } = context()
    const { id, path, token } = await addAutomation()
    expect((await fetch(path, post(token, padded(mebibyte)))).status).toBe(200)
    const over = await fetch(path, post(token, padded(mebibyte + 1)))
    expect(over.status).toBe(413)
    expect((await errorOf(over)).code).toBe("PAYLOAD_TOO_LARGE")
    expect(over.headers.get("ratelimit-remaining")).toBe("298")
    expect(payloadsOf(id)).toHaveLength(1)
    expect(payloadsOf(id)[0]).toHaveLength(mebibyte)
  })

  it("counts the bytes of a body that says no length", async () => {
    const { addAutomation, fetch, payloadsOf } = context()
    const { id, path, token } = await addAutomation()
    const chunked = (...chunks: ReadonlyArray<string>) =>
      fetch(path, { ...post(token, stream(...chunks)), duplex: "half" as const })
    expect((await chunked("{\"a\":", "1}")).status).toBe(200)
    expect((await chunked()).status).toBe(200)
    const body = padded(mebibyte)
    expect((await chunked(body.slice(0, 700_000), body.slice(700_000))).status).toBe(200)
    expect((await chunked(body.slice(0, 700_000), body.slice(700_000), " ")).status).toBe(413)
    expect(payloadsOf(id).map(({ length }) => length)).toEqual([7, 2, mebibyte])
  })

  it.each<[string, string | Uint8Array, string]>([
    ["a string", "\"x\"", "INVALID_JSON"],
    ["a number", "1", "INVALID_JSON"],
    ["null", "null", "INVALID_JSON"],
    ["true", "true", "INVALID_JSON"],
    ["white space", " \n", "INVALID_JSON"],
    ["a trailing comma", "[1,]", "INVALID_JSON"],
    ["NaN", "[NaN]", "INVALID_JSON"],
    ["a comment", "{} // no", "INVALID_JSON"],
    ["two documents", "{}{}", "INVALID_JSON"],
    ["a byte order mark", "\uFEFF{}", "INVALID_JSON"],
    ["invalid UTF-8", new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]), "INVALID_JSON"],
    ["UTF-16", new Uint8Array([0x7b, 0, 0x7d, 0]), "INVALID_JSON"]
  ])(verifies("webhook.body-not-json-400") + "refuses %s", async (_, body, code) => {
    const { addAutomation, database, fetch } = context()
    const { path, token } = await addAutomation()
    const before = database.runs.size
    const response = await fetch(path, post(token, body as Body))
    expect(response.status).toBe(400)
    expect((await errorOf(response)).code).toBe(code)
    expect(response.headers.get("ratelimit-remaining")).toBe("299")
    expect(database.runs.size).toBe(before)
  })

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", "json"])(
    "refuses JSON that is declared %s",
    async (contentType) => {
      const { path, token } = await context().addAutomation()
      const response = await context().fetch(path, post(token, "{}", { "content-type": contentType }))
      expect(response.status).toBe(400)
      expect((await errorOf(response)).code).toBe("INVALID_REQUEST")
    }
  )

  it.each(["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.github+json", "application/cloudevents+json;v=1"])(
    "takes %s",
    async (contentType) => {
      const { path, token } = await context().addAutomation()
      expect((await context().fetch(path, post(token, "{}", { "content-type": contentType }))).status).toBe(200)
    }
  )

  it("takes JSON bytes of no declared type, and the identity encoding", async () => {
    const { path, token } = await context().addAutomation()
    const bytes = new TextEncoder().encode("{}")
    const init = { method: "POST", body: bytes, headers: { authorization: `Bearer ${token}`, "content-encoding": "identity" } }
    expect((await context().fetch(path, init)).status).toBe(200)
  })

  it.each(["gzip", "br", "deflate", "gzip, identity"])("refuses the encoding %s, without unpacking", async (encoding) => {
    const { path, token } = await context().addAutomation()
    const response = await context().fetch(path, post(token, "{}", { "content-encoding": encoding }))
    expect(response.status).toBe(400)
    expect((await errorOf(response)).code).toBe("INVALID_REQUEST")
  })

  it.each([
    ["nesting as deep as 1 MiB allows", "[".repeat(524_287) + "]".repeat(524_287)],
    ["U+0000", "[\"\\u0000\"]"],
    ["a lone surrogate", "[\"\\ud800\"]"],
    ["numbers beyond double precision", "[1e400, 12345678901234567890.10]"],
    ["duplicate keys", "{\"a\":1,\"a\":2}"],
    ["__proto__", "{\"__proto__\":{\"x\":1},\"constructor\":{\"prototype\":{\"x\":1}}}"],
    ["the sender's own spelling", "{ \"a\" :\t1 }\n"]
  ])("keeps %s as the bytes received", async (_, body) => {
    const { addAutomation, fetch, payloadsOf } = context()
    const { id, path, token } = await addAutomation()
    expect((await fetch(path, post(token, body))).status).toBe(200)
    expect(payloadsOf(id)[0]!.equals(Buffer.from(body))).toBe(true)
    expect(({} as { x?: number }).x).toBeUndefined()
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
})
