import { assert, describe, it } from "@effect/vitest"
import { AnswerReader } from "../src/embedded/answer-reader.ts"
import { concat, errorResponse, parseListening, readyForQuery } from "../src/embedded/protocol.ts"
import { rememberCycle } from "../src/embedded/session.ts"
import { PgProtocol } from "@effect/sql-pg"
import { Result } from "effect"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const message = (type: string, body: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(body.length + 5)
  whole[0] = type.charCodeAt(0)
  new DataView(whole.buffer).setInt32(1, body.length + 4)
  whole.set(body, 5)
  return whole
}

const notification = (channel: string, payload: string) =>
  message("A", concat([Uint8Array.of(0, 0, 0, 7), bytes(`${channel}\0${payload}\0`)]))

describe("the reader of answers", () => {
  const dataRow = message("D", bytes("x".repeat(300_000)))
  const said = [dataRow, notification("one", "1"), dataRow, notification("two", "2"), readyForQuery("transaction")]
  const expected = concat([dataRow, dataRow, readyForQuery("transaction")])

  for (const size of [1, 7, 8192, 10_000_000]) {
    it(`tells notifications from the answer, in pieces of ${size}`, () => {
      const parts: Array<Uint8Array> = []
      const reader = new AnswerReader((part) => parts.push(part))
      const whole = concat(said)
      for (let at = 0; at < whole.length; at += size) reader.push(whole.subarray(at, at + size))
      const outcome = reader.finish()
      assert.isTrue(Buffer.from(concat([...parts, outcome.bytes])).equals(expected))
      assert.deepStrictEqual(outcome.notifications.map(({ channel }) => channel), ["one", "two"])
      assert.isTrue(outcome.notifications.every(({ bytes }, at) => Buffer.from(bytes).equals(said[at * 2 + 1]!)))
      assert.strictEqual(outcome.status, "transaction")
      assert.isFalse(outcome.refused)
    })
  }

  it("lets a large answer go in parts, and forgets one answer before the next", () => {
    const parts: Array<Uint8Array> = []
    const reader = new AnswerReader((part) => parts.push(part))
    for (let n = 0; n < 20; n++) reader.push(dataRow)
    reader.push(errorResponse("ERROR", "22012", "division by zero"))
    reader.push(readyForQuery("failed"))
    assert.isAbove(parts.length, 3)
    const first = reader.finish()
    assert.isTrue(first.refused)
    assert.strictEqual(first.status, "failed")
    reader.push(readyForQuery("idle"))
    const second = reader.finish()
    assert.isFalse(second.refused)
    assert.deepStrictEqual([...second.bytes], [...readyForQuery("idle")])
  })
})

describe("statements that listen", () => {
  it("are recognised as the client and a person write them, and nothing else is", () => {
    assert.deepStrictEqual(parseListening("LISTEN \"Runs \"\"x\"\"\""), { listen: true, channel: "Runs \"x\"" })
    assert.deepStrictEqual(parseListening(" listen Runs ; "), { listen: true, channel: "runs" })
    assert.deepStrictEqual(parseListening("UNLISTEN \"a\""), { listen: false, channel: "a" })
    assert.deepStrictEqual(parseListening("UNLISTEN *"), { listen: false, channel: undefined })
    for (const other of ["LISTEN *", "SELECT 'LISTEN a'", "LISTEN", "LISTEN a; SELECT 1", "NOTIFY a"]) {
      assert.isUndefined(parseListening(other), other)
    }
  })

  it("are recognised again when they are run by the name that they were prepared under", () => {
    const memory = { statements: new Map() }
    const parse = Result.getOrThrow(PgProtocol.encodeParse({ name: "s1", query: "LISTEN runs", parameterTypes: [] }))
    const bind = message("B", bytes("\0s1\0"))
    assert.deepStrictEqual(rememberCycle(memory, parse), [])
    assert.deepStrictEqual(rememberCycle(memory, bind), [{ listen: true, channel: "runs" }])
    assert.deepStrictEqual([...memory.statements.keys()], ["s1"])
    rememberCycle(memory, PgProtocol.encodeClose({ target: "statement", name: "s1" }))
    assert.strictEqual(memory.statements.size, 0)
    assert.deepStrictEqual(rememberCycle(memory, bind), [])
  })
})
