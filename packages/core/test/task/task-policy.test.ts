import { firstStatuses, givenTimestamp, Labels, slugFor, TaskStatusType, titleKey } from "@coppice/core"
import { it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { assert, describe } from "vitest"

const id = "0198c5a0-1111-7222-8333-44445f3f9a21"

describe("slugFor", () => {
  it("makes words of a title, with the end of the id", () => {
    assert.strictEqual(slugFor("Fix the login!", id), "fix-the-login-3f9a21")
    assert.strictEqual(slugFor("Größe ändern", id), "gro-e-a-ndern-3f9a21")
  })

  it("has a word for a title without letters", () => {
    assert.strictEqual(slugFor("修正", id), "task-3f9a21")
  })

  it.prop("is short, and never an id, whatever the title", [Schema.String], ([title]) => {
    const slug = slugFor(title, id)
    assert.match(slug, /^[a-z0-9]+(?:-[a-z0-9]+)*-3f9a21$/)
    assert.isAtMost(slug.length, 47)
    assert.notMatch(slug, /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })
})

it("titleKey sets letter case aside", () => {
  assert.strictEqual(titleKey("Fix the ÜBUNG"), titleKey("fix THE Übung"))
})

it("an organization begins with one status of each type", () => {
  assert.deepStrictEqual(firstStatuses.map(({ type }) => type), [...TaskStatusType.literals])
})

describe("labels", () => {
  const isLabels = Schema.is(Labels)

  it("are 20 at most, short, and different", () => {
    const twenty = Array.from({ length: 20 }, (_, number) => `label ${number}`)
    assert.isTrue(isLabels(twenty) && isLabels([]) && isLabels(["x".repeat(50)]))
    for (const labels of [[...twenty, "more"], ["x".repeat(51)], ["twice", "twice"], [""], ["two\nlines"]]) {
      assert.isFalse(isLabels(labels), JSON.stringify(labels))
    }
  })
})

describe("an instant that a caller writes", () => {
  const decode = Schema.decodeUnknownOption(givenTimestamp("When"))

  it("is ISO 8601 with Z or an offset", () => {
    const written = { "2026-01-02T03:04Z": 0, "2026-01-02T03:04:05Z": 5000, "2026-01-02T05:04:05.678+02:00": 5678 }
    for (const [text, millis] of Object.entries(written)) {
      const at = decode(text)
      assert.strictEqual(at._tag === "Some" && DateTime.toEpochMillis(at.value), Date.UTC(2026, 0, 2, 3, 4) + millis, text)
    }
  })

  it("is nothing else", () => {
    const others = ["2026-01-02", "Jan 2 2026", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z", "1969-12-31T23:59:59Z",
      "+010000-01-01T00:00:00Z", "2100-01-01T00:00:00Z", "", 5]
    for (const text of others) assert.strictEqual(decode(text)._tag, "None", String(text))
  })
})
