// Packs every published package as it would be released, and checks what a stranger would install: publint and attw
// must have nothing to say, and nothing that only this workspace understands may be left in it.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pnpm, root } from "./pnpm.mjs"

const onlyHere = /"(workspace|catalog):|"development"/

const directory = mkdtempSync(join(tmpdir(), "coppice-packages-"))
process.on("exit", () => rmSync(directory, { recursive: true }))

const check = (tarball) => {
  const manifest = execFileSync("tar", ["-xOzf", tarball, "package/package.json"], { encoding: "utf8" })
  const found = onlyHere.exec(manifest)
  if (found) throw new Error(`The packed package.json says ${found[0]}`)
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" })
  if (!files.includes("package/LICENSE")) throw new Error("The license is missing")
  if (/(\.tsbuildinfo|\.test\.[jt]s)$/m.test(files)) throw new Error("Build state or tests are in the package")
  for (const [tool, ...args] of [["publint", "run", tarball, "--strict"], ["attw", tarball, "--profile", "esm-only"]]) {
    execFileSync(join(root, "node_modules/.bin", tool), args, { stdio: "inherit" })
  }
}

const failed = []
for (const name of readdirSync(join(root, "packages")).sort()) {
  const folder = join(root, "packages", name)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  if (manifest.private) continue
  try {
    const tarball = join(directory, `${name}.tgz`)
    const code = await pnpm(["pack", "--reporter=silent", "--out", tarball], { cwd: folder })
    if (code !== 0) throw new Error(`pnpm pack ended with ${code}`)
    check(tarball)
  } catch (error) {
    console.error(`${manifest.name}: ${error.message}`)
    failed.push(manifest.name)
  }
}
if (failed.length > 0) {
  console.error(`Not fit to be published: ${failed.join(", ")}`)
  process.exit(1)
}
