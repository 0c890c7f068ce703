// The pnpm that package.json names, through the npx that comes with every Node: nothing has to be installed by hand.
// It runs on the operator's own Node, so it uses nothing newer than Node 18.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { run } from "./child.mjs"

export const root = fileURLToPath(new URL("..", import.meta.url))

const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"))

export const pnpmVersion = manifest.packageManager.split("+")[0]

// npx uses the pnpm that it has without asking the registry, and notices within seconds that there is no network: npm's
// own pauses between retries add up to 70 of them.
const npxSettings = {
  npm_config_prefer_offline: "true",
  npm_config_fetch_retry_mintimeout: "1000",
  npm_config_fetch_retry_maxtimeout: "5000",
  npm_config_loglevel: "error"
}

/** Resolves to the exit code; 127 means that there is no npx. */
export const pnpm = (args, options = {}) =>
  run("npx", ["-y", pnpmVersion, ...args], { cwd: root, env: { ...process.env, ...npxSettings }, ...options })
