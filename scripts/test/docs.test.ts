import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { toolCatalog } from "../../packages/core/src/index.ts"
import { toolsDocument } from "../generate-docs.ts"

it("docs/tools.md says what the catalogue says; `npm run docs` brings it up to date", () => {
  expect(readFileSync(new URL("../../docs/tools.md", import.meta.url), "utf8")).toBe(toolsDocument())
})

it("describes every argument of every tool", () => {
  for (const { inputSchema, name } of toolCatalog) {
    for (const [argument, schema] of Object.entries((inputSchema.properties ?? {}) as Record<string, object>)) {
      expect("description" in schema || "enum" in schema, `${name}: ${argument} needs a description`).toBe(true)
    }
  }
})
