import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { groundFolders, nounsInLine, upperFolders } from "../../oxlint.config.ts"

const root = resolve(import.meta.dirname, "../..")

const imports = "eslint(no-restricted-imports)"
const node = "import(no-nodejs-modules)"

// Each row seeds one file and names the rules that it has to break; a row without rules is a file that breaks none.
const seeds: ReadonlyArray<{ file: string; text: string; breaks?: ReadonlyArray<string> }> = [
  { file: "core/src/fine.ts", text: `import "effect"; import "effect/Schema"; import "@oslojs/crypto/sha2"; import "./id.ts"` },
  { file: "core/src/external.ts", text: `import "h3"`, breaks: [imports] },
  { file: "core/src/external-scoped.ts", text: `import "@effect/sql-pg/PgClient"`, breaks: [imports] },
  { file: "core/src/external-type.ts", text: `import type { H3 } from "h3"; export type A = H3`, breaks: [imports] },
  { file: "core/src/external-export.ts", text: `export * from "h3"`, breaks: [imports] },
  { file: "core/src/node.ts", text: `import "node:fs"`, breaks: [imports, node] },
  { file: "core/src/node-bare.ts", text: `import "fs/promises"`, breaks: [imports, node] },
  { file: "core/src/adapter.ts", text: `import "@coppice/adapter-http"`, breaks: [imports] },
  { file: "core/src/console.ts", text: `console.log(1)`, breaks: ["eslint(no-console)"] },
  { file: "core/src/any.ts", text: `export const f = (x: any): number => x`, breaks: ["typescript(no-explicit-any)"] },
  { file: "core/src/unused.ts", text: `const a = 1`, breaks: ["eslint(no-unused-vars)"] },
  { file: "core/src/long.ts", text: "export {}\n".repeat(260), breaks: ["eslint(max-lines)"] },
  { file: "core/src/cycle-a.ts", text: `import type { B } from "./cycle-b.ts"; export type A = B`, breaks: ["import(no-cycle)"] },
  { file: "core/src/cycle-b.ts", text: `import type { A } from "./cycle-a.ts"; export type B = A`, breaks: ["import(no-cycle)"] },

  { file: "core/src/project/left.ts", text: `import "../host/host.ts"; import "../id.ts"; import "../tool/tool.ts"; import "effect"` },
  { file: "core/src/project/right.ts", text: `import "../run/run.ts"`, breaks: [imports] },
  { file: "core/src/project/right-type.ts", text: `import type { Run } from "../run/run.ts"; export type A = Run`, breaks: [imports] },
  { file: "core/src/project/deep/right.ts", text: `import "../../workspace/workspace.ts"`, breaks: [imports] },
  { file: "core/src/project/upper.ts", text: `import "../oauth/grant.ts"`, breaks: [imports] },
  { file: "core/src/project/external.ts", text: `import "h3"`, breaks: [imports] },
  { file: "core/src/project/tools.ts", text: `import "./project-tools.ts"`, breaks: [imports] },
  { file: "core/src/run/all.ts", text: nounsInLine.slice(0, -1).map((noun) => `import "../${noun}/${noun}.ts"`).join("\n") },

  { file: "core/src/run/run-policy.ts", text: `import "./run.ts"; import "../workspace/workspace.ts"; import "../lifecycle.ts"` },
  { file: "core/src/host/host-policy.ts", text: `import "./host-store.ts"`, breaks: [imports] },
  { file: "core/src/workspace/workspace-policy.ts", text: `import "./worktrees.ts"`, breaks: [imports] },
  { file: "core/src/project/project-policy.ts", text: `import "../run/run.ts"`, breaks: [imports] },
  { file: "core/src/automation/automation-policy.ts", text: `import "h3"`, breaks: [imports] },
  { file: "core/src/rate-limit/rate-limit-policy.ts", text: `import "./rate-limit-store.ts"`, breaks: [imports] },

  { file: "core/src/tool-catalog.ts", text: `import "./run/run-tools.ts"` },
  { file: "core/src/ports.ts", text: `import "./run/run-tools.ts"`, breaks: [imports] },
  { file: "core/src/resource-catalog.ts", text: `import "./run/run-resources.ts"` },
  { file: "core/src/resource/resource.ts", text: `import "../run/run-resources.ts"`, breaks: [imports] },

  { file: "adapter-http/src/fine.ts", text: `import "h3"; import "node:fs"; import "effect"; import "@coppice/core/ports"; import "zod"` },
  { file: "adapter-http/src/other.ts", text: `import "@coppice/adapter-store"`, breaks: [imports] },
  { file: "adapter-http/src/testkit.ts", text: `import "@coppice/testkit/memory"`, breaks: [imports] },
  { file: "adapter-http/src/technology.ts", text: `import "simple-git"`, breaks: [imports] },
  { file: "adapter-http/src/sources.ts", text: `import "../../core/src/id.ts"`, breaks: [imports] },
  { file: "adapter-store/src/fine.ts", text: `import "@effect/sql-pg"; import "@electric-sql/pglite/nodefs"; import "node:worker_threads"` },
  { file: "adapter-store/src/other.ts", text: `import "h3"`, breaks: [imports] },
  { file: "adapter-git/src/fine.ts", text: `import "effect/Effect"; import "simple-git"` },
  { file: "adapter-git/src/barrel.ts", text: `import "@effect/platform-node"`, breaks: [imports] },

  { file: "testkit/src/fine.ts", text: `import "vitest"; import "@effect/vitest"; import "@coppice/core"` },
  { file: "testkit/src/node.ts", text: `import "node:fs"`, breaks: [imports, node] },
  { file: "testkit/src/adapter.ts", text: `import "@coppice/adapter-store"`, breaks: [imports] },
  { file: "testkit/src/postgres/fine.ts", text: `import "node:child_process"; import "@effect/sql-pg/PgClient"` },
  { file: "testkit/src/postgres/adapter.ts", text: `import "@coppice/adapter-store"`, breaks: [imports] },

  { file: "examples/server/src/fine.ts", text: `import "@coppice/adapter-http"; import "@coppice/core/ports"; import "node:fs"; import "effect"` },
  { file: "examples/server/src/sources.ts", text: `import "../../../packages/core/src/id.ts"`, breaks: [imports] },
  { file: "examples/custom-adapter/src/fine.ts", text: `import "@coppice/core/ports"; import "node:fs/promises"; import "effect"; import "./fine-too.ts"` },
  { file: "examples/custom-adapter/src/other.ts", text: `import "@coppice/adapter-store"`, breaks: [imports] },
  { file: "examples/custom-adapter/src/testkit.ts", text: `import "@coppice/testkit/memory"`, breaks: [imports] }
]

const placeOf = (file: string): string => file.startsWith("examples/") ? file : `packages/${file}`

const tree = mkdtempSync(join(tmpdir(), "coppice-lint-"))
const found = new Map<string, Array<string>>()

beforeAll(async () => {
  copyFileSync(join(root, "oxlint.config.ts"), join(tree, "oxlint.config.ts"))
  writeFileSync(join(tree, "package.json"), `{ "type": "module" }`)
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"))
  for (const { file, text } of seeds) {
    mkdirSync(dirname(join(tree, placeOf(file))), { recursive: true })
    writeFileSync(join(tree, placeOf(file)), `${text}\n`)
  }
  const args = [join(root, "node_modules/oxlint/bin/oxlint"), "--format=json"]
  const { stdout } = await promisify(execFile)(join(root, "node_modules/.bin/node"), args, { cwd: tree }).catch(
    (failed: { stdout: string }) => failed
  )
  for (const { filename, code } of JSON.parse(stdout).diagnostics as Array<{ filename: string; code: string }>) {
    const file = filename.replace("packages/", "")
    found.set(file, [...(found.get(file) ?? []), code])
  }
})

afterAll(() => rmSync(tree, { recursive: true }))

test.for(seeds)("$file", ({ file, breaks = [] }) => {
  expect([...new Set(found.get(file))].sort()).toEqual([...breaks].sort())
})

test("every folder of core has a place in the table", () => {
  const folders = readdirSync(join(root, "packages/core/src"), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const known = [...nounsInLine, ...groundFolders, ...upperFolders]
  expect(folders.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
})
