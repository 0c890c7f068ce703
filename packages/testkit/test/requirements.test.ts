import { citations, judgeCitations, requirements } from "@coppice/testkit/conformance"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** This folder speaks of citations, and cites nothing but what it proves itself. */
const sources = globSync("{packages,examples}/*/test/**/*.ts", { cwd: root, exclude: ["**/requirements.test.ts"] })

const cited = new Set(sources.flatMap((path) => citations(readFileSync(root + path, "utf8"))))
const { open, uncited, unknown } = judgeCitations(requirements, cited)

describe("the interface document", () => {
  it("has each requirement once", () => {
    const ids = requirements.map(({ id }) => id)
    assert.deepStrictEqual(ids.filter((id, place) => ids.indexOf(id) !== place), [])
  })

  it("is cited by ids that it has", () => {
    assert.deepStrictEqual(unknown, [])
  })

  it("has a test for everything that is built", () => {
    assert.deepStrictEqual(uncited, [], "These are marked as built, and no test cites them")
  })

  it("is open in what is not built yet", () => {
    console.info(`${requirements.length - open.length} of ${requirements.length} requirements are built, ${open.length} are open.`)
    assert.strictEqual(open.length + requirements.filter(({ state }) => state === "built").length, requirements.length)
  })
})

describe("citations", () => {
  const some = [
    { id: "a.built", section: "A", text: "…", state: "built" },
    { id: "a.open", section: "A", text: "…", state: "open" }
  ] as const

  it("are read over several lines", () => {
    const source = `it(verifies(\n  "a.built",\n  'a.open'\n) + "title")\nit(verifies("b.other") + "x")`
    assert.deepStrictEqual(citations(source), ["a.built", "a.open", "b.other"])
  })

  it("leave out what nobody cites and name what is not there", () => {
    assert.deepStrictEqual(judgeCitations(some, new Set(["a.open", "b.other"])), {
      unknown: ["b.other"],
      uncited: ["a.built"],
      open: ["a.open"]
    })
  })
})
