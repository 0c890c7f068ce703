import { toolCatalog } from "@coppice/core"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { makeService } from "./support/service.ts"

const redocly = fileURLToPath(import.meta.resolve("@redocly/cli/package.json")).replace(/package\.json$/, "bin/cli.js")

interface Operation {
  operationId: string
  parameters: ReadonlyArray<object>
  readonly responses: Record<string, { readonly content: Record<string, { example?: unknown }> }>
}

/** What the linter says of a document, with each of its recommended rules as an error. */
const lint = (document: object) => {
  const folder = mkdtempSync(join(tmpdir(), "coppice-lint-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document))
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
  const args = [redocly, "lint", "openapi.json", "--extends", "recommended-strict", "--format", "stylish"]
  return new Promise<{ readonly code: unknown; readonly output: string }>((resolve) =>
    execFile(process.execPath, args, { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr })))
}

it("an independent linter finds nothing to say of the OpenAPI document, and would", async () => {
  const { app } = await makeService({ tools: toolCatalog as never })
  const response = await app.fetch(new Request("http://127.0.0.1:4280/openapi.json"))
  const document = await response.json() as { readonly paths: Record<string, Record<string, Operation>> }
  expect(await lint(document)).toMatchObject({ code: 0 })

  const webhook = document.paths["/api/automations/webhook/{automationId}"]!["post"]!
  webhook.parameters = []
  webhook.operationId = document.paths["/mcp"]!["post"]!.operationId
  webhook.responses["200"]!.content["application/json"]!.example = { runId: 1 }
  const { code, output } = await lint(document)
  expect(code).toBe(1)
  for (const rule of ["path-parameters-defined", "operation-operationId-unique", "no-invalid-media-type-examples"]) {
    expect(output).toContain(rule)
  }
})
