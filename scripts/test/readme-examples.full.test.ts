import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"

// The TypeScript of every README, compiled as strictly as the sources and run as a stranger would run it: against what
// is compiled, in a folder of an application that has them all. A comment `// => text` says what its line prints.
const root = resolve(import.meta.dirname, "../..")
const node = join(root, "node_modules/.bin/node")
const run = promisify(execFile)

/** Where an example has what it imports: an example's own folder, and for packages the server, which has them all. */
const placeOf = (file: string) => join(root, file.startsWith("examples/") ? dirname(file) : "examples/server", "dist/readme-examples")

const examples = ["packages", "examples"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}/README.md`)
    .filter((file) => existsSync(join(root, file)))
    .flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""], index) => {
        // Contracts register tests, so that vitest has to run them.
        const isTest = /"@coppice\/testkit\/contract"|"vitest"/.test(code)
        const title = `${dirname(file).replace("/", "-")}-${index + 1}`
        return { file, code, isTest, title, program: join(placeOf(file), `${title}${isTest ? ".test" : ""}.ts`) }
      })
    )
)

const scratch = mkdtempSync(join(tmpdir(), "coppice-readme-"))
const project = join(scratch, "tsconfig.json")
const references = ["core", "testkit", "testkit/src/postgres", "adapter-git", "adapter-http", "adapter-store"].map((name) => `packages/${name}`)

beforeAll(() => {
  for (const place of new Set(examples.map(({ file }) => placeOf(file)))) {
    rmSync(place, { recursive: true, force: true })
    mkdirSync(place, { recursive: true })
  }
  for (const { code, program } of examples) writeFileSync(program, code)
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: { rewriteRelativeImportExtensions: false, noEmit: true, rootDir: root, types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
      files: examples.map(({ program }) => program),
      references: [...references, "examples/custom-adapter"].map((path) => ({ path: join(root, path) }))
    })
  )
})

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

test("every package has an example", () => {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`)
  expect(packages.filter((file) => !examples.some((example) => example.file === file))).toEqual([])
})

test("the examples compile", async () => {
  const { stdout } = await run(node, [join(root, "node_modules/typescript/bin/tsc"), "-b", project]).catch((failed: { stdout: string }) => failed)
  expect(stdout).toBe("")
})

test.for(examples)("$title runs, and prints what it says", async ({ code, isTest, program }) => {
  const args = isTest ? [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", dirname(program), program] : [program]
  // Nothing of the vitest around, and nothing of the reader's own folders.
  const own = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_|COPPICE_|DATABASE_URL$|TEST$)/.test(name))
  const env = { ...Object.fromEntries(own), HOME: scratch, TMPDIR: scratch }
  const { stdout } = await run(node, args, { cwd: scratch, env, timeout: 120_000 })
  for (const [, printed] of code.matchAll(/\/\/ => (.*)$/gm)) expect(stdout.split("\n")).toContain(printed)
})
