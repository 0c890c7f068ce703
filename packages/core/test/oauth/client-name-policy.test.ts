import { isMixedScript, shownClientName } from "@coppice/core"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { assert, describe } from "vitest"

describe("C9, C10: the name that a client gave itself", () => {
  it("is shown as one short line", () => {
    assert.strictEqual(shownClientName("Claude Code"), "Claude Code")
    assert.strictEqual(shownClientName(" a\n\r\tb\u2028c  d "), "a b c d")
    assert.strictEqual(shownClientName("<img src=x onerror=alert(1)>"), "<img src=x onerror=alert(1)>")
    for (const nothing of [undefined, "", " \n ", "\u202e\u200b"]) assert.isUndefined(shownClientName(nothing))
    assert.strictEqual(shownClientName("x".repeat(10_000)), `${"x".repeat(59)}…`)
    assert.strictEqual(shownClientName("x".repeat(60)), "x".repeat(60))
  })

  it("is read in the order in which it is written, and hides nothing", () => {
    for (const mark of ["\u202e", "\u202a", "\u2066", "\u2069", "\u200e", "\u061c", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u0000", "\ue000", "\u{e0041}"]) {
      const shown = shownClientName(`a${mark}b`)
      assert.match(shown!, /^a ?b$/, mark.codePointAt(0)!.toString(16))
    }
  })

  it.prop("never holds what is not seen, whatever it is", [Schema.String], ([name]) => {
    const shown = shownClientName(name)
    if (shown === undefined) return
    assert.notMatch(shown, /[\p{C}\p{Zl}\p{Zp}]/u)
    assert.isAtMost([...shown].length, 60)
  })

  it("is marked where its letters are of several scripts", () => {
    for (const name of ["Сlaude", "Claudе", "Gооgle", "Αpp", "App Приложение", "𝐂laude"]) assert.isTrue(isMixedScript(name), name)
    for (const name of ["Claude", "Claude Code 2.1 (macOS)", "Клод", "クロード Claude", "克勞德 app", "Ålesund", "ＡＢＣ", "", "42 – x_y", "データー"]) {
      assert.isFalse(isMixedScript(name), name)
    }
  })
})
