import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { environmentOf, scratchForTest, serverForTest, typed } from "../service.ts"
import { bearerProxy } from "./bearer-proxy.ts"

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/package.json"))
  .replace(/package\.json$/, "dist/index.js")

const run = (args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: unknown; readonly output: string }>((resolve) =>
    execFile(process.execPath, [suite, "server", ...args], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr })))

// The files list what the suite asks of tools, resources and prompts that only a test server has, and nothing else. A
// failure that they do not list is one here, and so is one that they list and that is gone.
test.each(["2025-11-25", "2026-07-28"])("the official conformance suite finds what %s requires", async (revision) => {
  const scratch = await scratchForTest()
  const env = environmentOf(scratch)
  const { url } = await serverForTest(env)
  await typed(env, "users", "create", "--email", "ann@example.com")
  const { key } = await typed<{ readonly key: string }>(env, "keys", "create", "--name", "conformance")
  const proxy = await bearerProxy(url, key)
  onTestFinished(proxy.close)
  const expected = fileURLToPath(new URL(`${revision}.yml`, import.meta.url))
  const { code, output } = await run([
    "--url", `${proxy.url}/mcp`, "--requirements", revision, "--expected-failures", expected, "--timeout", "20000"
  ])
  console.info(/^Total: .*$/m.exec(output)?.[0])
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" })
})
