import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

/** The path of a file that is not there yet, in a folder that goes away with the tests. */
export const temporaryFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "coppice-custom-adapter-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "idempotent-calls.jsonl")
}
