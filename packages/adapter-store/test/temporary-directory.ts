import { afterAll } from "@effect/vitest"
import { Effect } from "effect"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { ensureCreated } from "../src/embedded/creation.ts"
import { lockDirectory } from "../src/embedded/directory-lock.ts"

const directories: Array<string> = []

// vitest ends its processes without telling them.
afterAll(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

/** A new directory, removed after the tests of the file. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "coppice-store-"))
  directories.push(directory)
  return directory
}

const template = join(tmpdir(), `coppice-empty-database-${userInfo().uid}`)

/** A directory with an empty database. Making one takes seconds, so one is made for all tests, and copied. */
export const databaseDirectory = Effect.gen(function*() {
  const directory = temporaryDirectory()
  const data = yield* Effect.scoped(Effect.andThen(
    lockDirectory({ directory: template, waitMillis: 60_000 }),
    ensureCreated(template)
  ))
  cpSync(data, join(directory, "data"), { recursive: true })
  return directory
})

