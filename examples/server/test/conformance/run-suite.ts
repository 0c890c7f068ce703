import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { bearerProxy } from "./bearer-proxy.ts"

export const suiteProgram = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json"))
  .replace(/package\.json$/, "dist/index.js")

const run = (args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly output: string }>((resolve) =>
    execFile(process.execPath, [suiteProgram, "server", ...args], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr })))

/** Runs what the suite requires of a revision against a server. `expected` is the file of what it may find wanting. */
export const runSuite = async (server: { readonly url: string; readonly key: string }, revision: string, expected: string) => {
  const proxy = await bearerProxy(server.url, server.key)
  onTestFinished(proxy.close)
  const baseline = fileURLToPath(new URL(expected, import.meta.url))
  const { code, output } = await run([
    "--url", `${proxy.url}/mcp`, "--requirements", revision, "--expected-failures", baseline, "--timeout", "20000"
  ])
  console.info(/^Total: .*$/m.exec(output)?.[0])
  return { code, output: code === 0 ? "" : output }
}
