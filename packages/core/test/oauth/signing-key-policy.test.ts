import { dueSigningKey, idTokenSeconds, type SigningKey, signingKeyAt, signingKeyMillis, signingKeyPublishedMillis, signingLeadMillis } from "@coppice/core"
import { DateTime } from "effect"
import { assert, describe, it } from "vitest"

const day = 24 * 60 * 60 * 1000
const start = Date.UTC(2026, 0, 1)
const at = (millis: number) => DateTime.makeUnsafe(start + millis)
const key = (id: string, signsFrom: number) =>
  ({ id, signsFrom: at(signsFrom), retiresAt: at(signsFrom + signingKeyPublishedMillis), createdAt: at(signsFrom) }) as unknown as SigningKey
const offset = (time: DateTime.Utc) => DateTime.toEpochMillis(time) - start

describe("L2: the signing keys", () => {
  it("begin with one that signs at once", () => {
    assert.strictEqual(offset(dueSigningKey([], at(0))!.signsFrom), 0)
    assert.isUndefined(signingKeyAt([], at(0)))
  })

  it("are followed by another, published a day before it signs", () => {
    const first = key("first", 0)
    assert.isUndefined(dueSigningKey([first], at(signingKeyMillis - 1)))
    const due = dueSigningKey([first], at(signingKeyMillis))!
    assert.strictEqual(offset(due.signsFrom), signingKeyMillis + signingLeadMillis)
    assert.isAbove(offset(due.unlessSignsFrom), 0)
    const second = key("second", offset(due.signsFrom))
    assert.isUndefined(dueSigningKey([second, first], at(signingKeyMillis + 1)))
    assert.strictEqual(signingKeyAt([second, first], at(signingKeyMillis + signingLeadMillis - 1))?.id, "first")
    assert.strictEqual(signingKeyAt([second, first], at(signingKeyMillis + signingLeadMillis))?.id, "second")
  })

  it("sign only what ends before they are published no more", () => {
    const first = key("first", 0)
    const last = signingKeyPublishedMillis - idTokenSeconds * 1000
    assert.strictEqual(signingKeyAt([first], at(last - 1))?.id, "first")
    assert.isUndefined(signingKeyAt([first], at(last)))
    // Nobody signed in for three months: the next key signs at once, or nothing would.
    assert.strictEqual(offset(dueSigningKey([first], at(last))!.signsFrom), last)
  })

  it("are used though the replica that made the first one has a clock that is ahead", () => {
    assert.strictEqual(signingKeyAt([key("first", 5000)], at(0))?.id, "first")
    assert.isUndefined(dueSigningKey([key("first", 5000)], at(0)))
  })

  it("leave no moment in a year without a published key to sign with", () => {
    let keys: Array<SigningKey> = []
    for (let time = 0; time < 365 * day; time += 6 * 60 * 60 * 1000) {
      keys = keys.filter(({ retiresAt }) => offset(retiresAt) > time)
      const published = keys.map(({ id }) => id)
      const due = dueSigningKey(keys, at(time))
      if (due !== undefined) keys.push(key(String(time), offset(due.signsFrom)))
      const signing = signingKeyAt(keys, at(time))!
      if (time > 0) assert.include(published, signing.id)
      assert.isAbove(offset(signing.retiresAt), time + idTokenSeconds * 1000)
    }
  })
})
