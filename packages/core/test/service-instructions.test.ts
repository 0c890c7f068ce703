import { serviceInstructions, toolCatalog } from "@coppice/core"
import { assert, it } from "@effect/vitest"

it("the instructions name only tools that there are, and fit on a screen", () => {
  const names = new Set(toolCatalog.map(({ name }) => name))
  const named = serviceInstructions.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []
  assert.isAbove(named.length, 10)
  assert.deepStrictEqual(named.filter((name) => !names.has(name)), [])
  assert.isBelow(serviceInstructions.split("\n").length, 40)
})
