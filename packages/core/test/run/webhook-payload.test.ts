import { judgePayload, maxPayloadBytes, type PayloadHeaders } from "@coppice/core"
import { it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { assert, describe } from "vitest"

const json: PayloadHeaders = { declaredBytes: undefined, contentType: "application/json", contentEncoding: undefined }

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The payload as text, or the code of what is wrong with it. */
const judge = (bytes: Uint8Array, headers: Partial<PayloadHeaders> = {}): string => {
  const judged = judgePayload({ ...json, ...headers }, bytes)
  return Result.isSuccess(judged) ? new TextDecoder().decode(judged.success) : judged.failure.code
}

describe("a webhook's body", () => {
  it("counts as {} when it is empty, whatever its headers say", () => {
    for (const contentType of ["application/json", "text/plain", undefined]) {
      assert.strictEqual(judge(new Uint8Array(), { contentType }), "{}")
    }
  })

  it("is kept as the bytes that were received", () => {
    for (const body of ["{}", "[]", " [1] ", "{\"a\":1,\"a\":2}", "{\"n\":12345678901234567890123}", "[\"\\ud800\"]"]) {
      assert.strictEqual(judge(bytesOf(body)), body)
    }
  })

  it.prop("is accepted for any object or array", [Schema.Record(Schema.String, Schema.String), Schema.Array(Schema.Int)], ([object, array]) => {
    for (const value of [object, array]) assert.strictEqual(judge(bytesOf(JSON.stringify(value))), JSON.stringify(value))
  })

  it("is refused when it is no JSON, or neither an object nor an array", () => {
    for (const body of ["{", "{a:1}", "null", "1", "\"text\"", "true", " ", "\n", "{}{}", "\u{feff}{}"]) {
      assert.strictEqual(judge(bytesOf(body)), "INVALID_JSON", JSON.stringify(body))
    }
    assert.strictEqual(judge(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)), "INVALID_JSON")
  })

  it("may have exactly 1 MiB, and not one byte more", () => {
    const body = (length: number) => bytesOf(`["${"x".repeat(length - 4)}"]`)
    assert.strictEqual(maxPayloadBytes, 1024 * 1024)
    assert.strictEqual(judge(body(maxPayloadBytes)).length, maxPayloadBytes)
    assert.strictEqual(judge(body(maxPayloadBytes + 1)), "PAYLOAD_TOO_LARGE")
  })

  it("may be declared as JSON or not at all", () => {
    for (const contentType of ["application/json", "Application/JSON; charset=utf-8", "application/vnd.github+json", undefined]) {
      assert.strictEqual(judge(bytesOf("{}"), { contentType }), "{}", contentType)
    }
    for (const contentType of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json", ""]) {
      assert.strictEqual(judge(bytesOf("{}"), { contentType }), "INVALID_REQUEST", contentType)
    }
  })

  it("may not be compressed", () => {
    assert.strictEqual(judge(bytesOf("{}"), { contentEncoding: "identity" }), "{}")
    assert.strictEqual(judge(bytesOf("{}"), { contentEncoding: "gzip" }), "INVALID_REQUEST")
  })
})
