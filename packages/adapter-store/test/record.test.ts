import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { escapeText, reference, unescapeText } from "../src/record.ts"

it.prop("any text survives, and is well-formed without U+0000 in between", [Schema.String], ([text]) => {
  const stored = escapeText(text)
  assert.isTrue(stored.isWellFormed() && !stored.includes("\u0000"))
  assert.strictEqual(unescapeText(stored), text)
})

it("text that a column can hold is stored as it is", () => {
  for (const text of ["", "It's \"quoted\"\n\\u0000 \uFFFE \u{1F333}"]) assert.strictEqual(escapeText(text), text)
  for (const text of ["\u0000", "\uD800", "\uDC00\uD800", "\uFDD0", "\uFDD00000"]) {
    assert.notStrictEqual(escapeText(text), text)
    assert.strictEqual(unescapeText(escapeText(text)), text)
  }
})

it("a reference is an id only when it can be one", () => {
  assert.isNull(reference("0190").id)
  assert.isNull(reference("01a1f953-fdfb-771c-aa64-f86b76ad9dcd ").id)
  assert.isNotNull(reference("01a1f953-fdfb-771c-aa64-f86b76ad9dcd").id)
})
