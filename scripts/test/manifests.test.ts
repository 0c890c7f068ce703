import { readFileSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"

const packages = resolve(import.meta.dirname, "../../packages")

const published = readdirSync(packages)
  .map((name) => ({ name, manifest: JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) }))
  .filter(({ manifest }) => !manifest.private)

// The `development` condition leads to sources, which this workspace can run and a folder in node_modules cannot. Vitest
// sets that condition, so a published package must not offer it to those who test with our contracts.
test.for(published)("$name publishes what it exports here, without the sources", ({ manifest }) => {
  const withoutSources = Object.entries<Record<string, string>>(manifest.exports).map(([path, { types, default: code }]) => [
    path,
    { types, default: code }
  ])
  expect(manifest.publishConfig.exports).toEqual(Object.fromEntries(withoutSources))
})

test.for(published)("$name leaves the choice of one effect and one core to its user", ({ name, manifest }) => {
  expect(manifest.peerDependencies).toHaveProperty("effect")
  if (name !== "core") expect(manifest.peerDependencies).toHaveProperty("@coppice/core", "workspace:^")
  expect(Object.keys(manifest.dependencies ?? {})).not.toEqual(expect.arrayContaining(["effect"]))
})
