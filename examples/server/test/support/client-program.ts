import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** A program of a package, which is found by its manifest. */
const program = (manifest: string, file: string): string => fileURLToPath(new URL(file, manifest))

export const inspectorProgram = program(
  import.meta.resolve("@modelcontextprotocol/inspector/package.json"),
  "clients/launcher/build/index.js"
)
export const mcpRemoteProgram = program(import.meta.resolve("mcp-remote/package.json"), "dist/proxy.js")

/** What a client's program finds around it: nothing of the operator's own. */
export const bareEnvironment = () => {
  const home = mkdtempSync(join(tmpdir(), "coppice-client-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return { PATH: process.env["PATH"]!, HOME: home }
}
