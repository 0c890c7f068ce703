import { verifies } from "@coppice/testkit/conformance"
import { expect, it } from "vitest"
import { describeMatrix, errorOf } from "./support/matrix.ts"
import { type Body, mebibyte, padded, post, stream } from "./support/webhook-request.ts"

describeMatrix("webhook body", (context) => {
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
})
