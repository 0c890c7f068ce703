import { canFence, runPrompt } from "@coppice/core"
import { it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { assert, describe } from "vitest"

const bytes = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), { maxLength: 100 }),
  (values) => Uint8Array.from(values)
)
const delimiter = "-----3f9a21-----"
const input = { prompt: "Review it.", trigger: "webhook" as const, runId: "a run", delimiter }

describe("the prompt of a run", () => {
  it.prop("holds the payload whole and byte for byte, between two lines of the delimiter", [bytes], ([payload]) => {
    const prompt = runPrompt({ ...input, payload })
    const text = new TextDecoder("latin1").decode(prompt)
    const start = text.indexOf(`\n${delimiter}\n`) + delimiter.length + 2
    assert.deepStrictEqual([...prompt.subarray(start, start + payload.length)], [...payload])
    assert.isTrue(text.endsWith(`\n${delimiter}\n`))
    assert.strictEqual(start + payload.length + delimiter.length + 2, prompt.length)
  })

  it("begins with the automation's own text, and says where the data came from", () => {
    const text = (trigger: "webhook" | "manual") =>
      new TextDecoder().decode(runPrompt({ ...input, trigger, payload: new Uint8Array([123, 125]) }))
    assert.isTrue(text("webhook").startsWith("Review it.\n\n"))
    assert.include(text("webhook"), "webhook request that started this run")
    assert.include(text("webhook"), "run a run, 2 bytes")
    assert.include(text("manual"), "started by hand")
  })

  it("has a delimiter that does not stand in the payload", () => {
    const bytesOf = (text: string) => new TextEncoder().encode(text)
    assert.isTrue(canFence(delimiter, bytesOf("{}")))
    assert.isTrue(canFence(delimiter, bytesOf("------3f9a20-----")))
    assert.isFalse(canFence(delimiter, bytesOf(delimiter)))
    assert.isFalse(canFence(delimiter, bytesOf(`--${delimiter}--`)))
  })
})
