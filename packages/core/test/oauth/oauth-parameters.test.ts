import { maxParameters, parseParameters } from "@coppice/core"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { assert, describe } from "vitest"

const read = (text: string) => {
  const parameters = parseParameters(text)
  return parameters === undefined ? undefined : Object.fromEntries(parameters.values)
}

describe("the parameters of a form", () => {
  it("are decoded as forms are encoded", () => {
    assert.deepStrictEqual(read("a=1&b=x+y%20z&c=%C3%BC&d=a%3Db=c&%65=%2B"), { a: "1", b: "x y z", c: "ü", d: "a=b=c", e: "+" })
    assert.deepStrictEqual(read(""), {})
  })

  it("T13: were not sent where they have no value", () => {
    assert.deepStrictEqual(read("a=&b&c=1&=x&&"), { c: "1", "": "x" })
    assert.deepStrictEqual(parseParameters("a=&a=1")?.repeated, [])
  })

  it("A4, T10: are named where they come twice, but for resource", () => {
    assert.deepStrictEqual(parseParameters("a=1&b=2&a=3&a=3")?.repeated, ["a", "a"])
    const { repeated, resources, values } = parseParameters("resource=x&resource=y")!
    assert.deepStrictEqual([repeated, resources, values.size], [[], ["x", "y"], 0])
  })

  it("are refused where they are no UTF-8, badly encoded, or hold U+0000", () => {
    for (const text of ["a=%", "a=%zz", "a=%ff", "a=%C3", "a=%00", "%00=a", "a=%ed%a0%80"]) assert.isUndefined(parseParameters(text), text)
  })

  it("T19: are refused where there are more than anybody means", () => {
    const of = (count: number) => Array.from({ length: count }, (_, place) => `p${place}=1`).join("&")
    assert.strictEqual(parseParameters(of(maxParameters))?.values.size, maxParameters)
    assert.isUndefined(parseParameters(of(maxParameters + 1)))
    assert.isUndefined(parseParameters(of(10_000)))
  })

  it.prop("are read as URLSearchParams writes them", [Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })).check(Schema.isMaxLength(20))], ([given]) => {
    const isText = (text: string) => text.isWellFormed() && !text.includes("\u0000")
    const pairs = given.filter(({ name, value }) => value !== "" && name !== "resource" && isText(name) && isText(value))
    const text = new URLSearchParams(pairs.map(({ name, value }) => [name, value])).toString()
    const first = new Map(pairs.toReversed().map(({ name, value }) => [name, value]))
    const { values } = parseParameters(text)!
    assert.strictEqual(values.size, first.size)
    for (const [name, value] of first) assert.strictEqual(values.get(name), value)
  })
})
