import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { suiteProgram } from "./run-suite.ts"

interface Check {
  readonly id: string
  readonly status: string
}

/** What it wrote down, scenario by scenario: each has a folder, which is named by the time. */
const checksIn = (folder: string): ReadonlyArray<Check> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("checks.json"))
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as ReadonlyArray<Check>)

/** Runs what the suite requires of an authorization server, and goes in its user's place to the address that it prints. */
export const runAuthorizationSuite = async (args: ReadonlyArray<string>, go: (address: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "coppice-conformance-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, [suiteProgram, "authorization", ...args, "--output-dir", folder])
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  const address = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text
        const printed = /^(http\S+\?\S+)\n/m.exec(output)?.[1]
        if (printed !== undefined) resolve(printed)
      })
    }
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const code = await Promise.race([ended, address.then(go).then(() => ended)])
  return { checks: checksIn(folder), code, output }
}
