// Makes a checkout ready to run: checks the machine, installs what the lockfile says, compiles. Each step is skipped or
// cheap when nothing changed, so that every npm script can begin with it. It runs on the operator's own Node (nothing newer
// than Node 18 is used) and prints to standard error only.
//
//   node scripts/prepare.mjs [project...]     the projects to compile; the server by default
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { constants } from "node:os"
import { endChild, run } from "./child.mjs"
import { takeLock } from "./lock.mjs"
import { pnpm, pnpmVersion, root } from "./pnpm.mjs"

const oldestGit = [2, 36]
const oldestNode = 20
const node = `${root}node_modules/.bin/node`
const stamp = `${root}node_modules/.coppice-installed`

const say = (text) => process.stderr.write(`coppice: ${text}\n`)

const fail = (what, next) => {
  say(`${what}\n  ${next}`)
  process.exit(1)
}

const checkNode = () => {
  if (Number(process.versions.node.split(".")[0]) < oldestNode) {
    fail(`Node ${process.versions.node} is too old.`, `Install Node ${oldestNode} or newer, then run this again.`)
  }
}

const checkGit = () => {
  const { stdout, error } = spawnSync("git", ["--version"], { encoding: "utf8" })
  const needed = `git ${oldestGit.join(".")} or newer`
  if (error) fail("git was not found.", `Install ${needed} and put it on PATH, then run this again.`)
  const [major, minor] = (/(\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number)
  if (!(major > oldestGit[0] || (major === oldestGit[0] && minor >= oldestGit[1]))) {
    fail(`${stdout.trim()} is too old.`, `Install ${needed}, then run this again.`)
  }
}

const checkPlatform = () => {
  const platform = `${process.platform}-${process.arch}`
  const supported = "Linux with glibc, or macOS, on x64 or arm64"
  if (process.platform === "win32") fail("Windows is not supported.", "Run this inside WSL 2 (a Linux with glibc).")
  if (!/^(linux|darwin)-(x64|arm64)$/.test(platform)) fail(`${platform} is not supported.`, `Use ${supported}.`)
  if (process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime) {
    fail("This Linux uses musl, which is not supported.", "Use a distribution with glibc, Debian for instance.")
  }
}

/** What an install depends on: the lockfile, every manifest, the platform. */
const installInputs = () => {
  const members = ["packages", "examples"].flatMap((folder) =>
    existsSync(`${root}${folder}`) ? readdirSync(`${root}${folder}`).sort().map((name) => `${folder}/${name}`) : []
  )
  const manifests = ["", ...members.map((member) => `${member}/`), "bench/"].map((folder) => `${folder}package.json`)
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${pnpmVersion}`)
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests]) {
    if (existsSync(root + file)) hash.update(`\0${file}\0`).update(readFileSync(root + file))
  }
  return hash.digest("hex")
}

const isInstalled = (inputs) => existsSync(node) && existsSync(stamp) && readFileSync(stamp, "utf8") === inputs

const registryAnswers = () => {
  const registry = process.env.npm_config_registry ?? "https://registry.npmjs.org/"
  return fetch(registry, { method: "HEAD", signal: AbortSignal.timeout(3000) }).then(() => true, () => false)
}

const install = async (inputs) => {
  checkPlatform()
  rmSync(stamp, { force: true })
  say("installing what the lockfile names (the first time takes about half a minute) ...")
  const code = await pnpm(["install", "--frozen-lockfile", "--config.confirmModulesPurge=false"])
  if (code === 127) fail("npx was not found.", "It comes with npm: install npm and put it on PATH, then run this again.")
  if (code !== 0 && !(await registryAnswers())) {
    fail(
      "Installing failed: the package registry cannot be reached from here.",
      "Check the network, and the proxy or registry in your npm configuration, then run this again; what has been downloaded is kept."
    )
  }
  if (code !== 0) fail(`Installing failed (exit code ${code}).`, "The lines above say why. Run this again once it is settled.")
  if (!existsSync(node)) {
    fail("The Node for this platform was not installed.", "Optional packages are left out by your npm configuration (omit): allow them, then run this again.")
  }
  writeFileSync(stamp, inputs)
}

const build = async (projects) => {
  const slow = setTimeout(() => say("compiling ..."), 500)
  const code = await run(node, [`${root}node_modules/typescript/bin/tsc`, "-b", ...projects], { cwd: root })
  clearTimeout(slow)
  if (code !== 0) fail("Compiling failed.", "The lines above say where. A fresh clone compiles: look at what changed since.")
}

const projects = process.argv.slice(2)

checkNode()
checkGit()
const release = await takeLock(`${root}.prepare.lock`, (holder) => say(`waiting for process ${holder}, which prepares this checkout ...`))
process.once("exit", release)
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    endChild(signal)
    process.exit(128 + constants.signals[signal])
  })
}
const inputs = installInputs()
if (!isInstalled(inputs)) await install(inputs)
await build(projects.length > 0 ? projects : ["examples/server"])
