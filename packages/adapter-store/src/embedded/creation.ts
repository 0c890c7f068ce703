import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { EmbeddedUnavailable } from "./unavailable.ts"

const script = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "./create.ts" : "./create.js", import.meta.url))

/** The major version of PostgreSQL that PGlite is; it reads no other's files. */
const postgresVersion = "18"

const unfinished = "creating-"
const createMillis = 120_000

/**
 * Makes sure of the database's files, and returns where they are. The directory must be locked.
 *
 * They are made beside their place and moved there whole, so that a creation that was interrupted leaves only what the
 * next start sweeps away. A child process makes them, since the memory that this takes is never given back.
 */
export const ensureCreated = Effect.fnUntraced(function*(
  directory: string
): Effect.fn.Return<string, EmbeddedUnavailable> {
  const data = path.join(directory, "data")
  const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: (cause) => failed(directory, cause) })
  yield* attempt(() => sweep(directory))
  const version = yield* attempt(() => readVersion(data))
  if (version === postgresVersion) return data
  if (version !== undefined) return yield* incompatible(directory, version)
  const fresh = path.join(directory, `${unfinished}${process.pid}-${Date.now()}`)
  yield* Effect.tryPromise({
    try: (signal) => createIn(fresh, signal),
    catch: (cause) => failed(directory, cause)
  }).pipe(Effect.tapCause(() => Effect.sync(() => fs.rmSync(fresh, { recursive: true, force: true }))))
  yield* attempt(() => {
    fs.renameSync(fresh, data)
    syncPath(directory)
  })
  return data
})

const readVersion = (data: string): string | undefined => {
  if (!fs.existsSync(data)) return undefined
  return fs.readFileSync(path.join(data, "PG_VERSION"), "utf8").trim()
}

const sweep = (directory: string): void => {
  for (const name of fs.readdirSync(directory)) {
    if (name.startsWith(unfinished)) fs.rmSync(path.join(directory, name), { recursive: true, force: true })
  }
}

const createIn = (target: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    // The pipe on its standard input tells the child when we are gone.
    const child = spawn(process.execPath, [script, target], {
      stdio: ["pipe", "ignore", "pipe"],
      env: { PATH: process.env.PATH ?? "" },
      signal,
      killSignal: "SIGKILL",
      timeout: createMillis
    })
    let output = ""
    child.stdin.on("error", () => {})
    child.stderr.on("data", (chunk: Buffer) => (output = `${output}${chunk}`.slice(-2000)))
    child.on("error", reject)
    child.on("close", (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`its creation ended with ${signal ?? code}. ${output.trim()}`))
    )
  })

const syncPath = (file: string): void => {
  const descriptor = fs.openSync(file, "r")
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

const failed = (directory: string, cause: unknown) =>
  new EmbeddedUnavailable({
    reason: "failed",
    directory,
    message: `The embedded database in ${directory} could not be created: ${cause instanceof Error ? cause.message : String(cause)}`,
    hint: "Check that the disk has room and that this user may write there."
  })

const incompatible = (directory: string, version: string) =>
  new EmbeddedUnavailable({
    reason: "incompatible",
    directory,
    message: `The embedded database in ${directory} was written by PostgreSQL ${version}, and this one is ${postgresVersion}.`,
    hint: "Dump it with the version of Coppice that wrote it, and load the dump into a new directory or a PostgreSQL server."
  })
