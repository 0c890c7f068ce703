import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { simpleGit } from "simple-git"
import type { HostContext } from "../host-context.ts"
import { jobMarker, markerName, markerValue } from "../process/marker.ts"
import { terminate } from "../process/terminate.ts"
import { wait, within } from "../real-time.ts"
import { allowedProtocols, gitEnvironment } from "./git-environment.ts"
import { GitFailed, isLockContention } from "./git-failed.ts"

export interface GitCall {
  readonly cwd: string
  readonly args: ReadonlyArray<string>
  /** The repository's own configuration may name programs. Otherwise no hook and no file monitor runs. */
  readonly trusted?: boolean
  /** It may need to reach a remote. */
  readonly network?: boolean
  readonly environment?: Readonly<Record<string, string>>
  /** `key=value` pairs that go before every configuration file. */
  readonly config?: ReadonlyArray<string>
  readonly input?: Uint8Array | string
  /** Output beyond that is cut off, and Git ended. */
  readonly maxBytes?: number
  /** Bound by this instead of the usual time. */
  readonly timeoutMillis?: number
}

export interface GitOutput {
  readonly bytes: Buffer
  readonly text: string
  /** There was more than `maxBytes`. */
  readonly truncated: boolean
}

const defaultMaxBytes = 64 * 1024 * 1024

/** How long Git has after an interruption to remove what it was making. */
const farewellMillis = 2000

/** How often a lock of Git's own is waited for: 50 ms, then twice as long each time, 6 s in all. */
const lockRetries = 7

/** What simple-git keeps from callers by default. Every argument and variable here is ours; what callers wrote is behind `--`. */
const unsafe = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeSshCommand: true,
  allowUnsafeAskPass: true,
  allowUnsafeEditor: true,
  allowUnsafePager: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeTemplateDir: true,
  allowUnsafeExec: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeSubmodule: true
}

const always = ["gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false"]
const untrusted = ["core.hooksPath=/dev/null", "core.fsmonitor=false"]

/** Runs Git for a host. Each call is one process, without a shell, that ends with the effect. */
export const makeGit = (context: HostContext) => {
  const base = gitEnvironment(context.environment, context.excludedPathEntries)

  const once = (call: GitCall): Effect.Effect<GitOutput, GitFailed> =>
    Effect.callback<GitOutput, GitFailed>((resume) => {
      const job = `git-${randomUUID()}`
      const { live } = context.jobs
      live.add(job)
      const environment = {
        ...base,
        GIT_ALLOW_PROTOCOL: allowedProtocols(call),
        ...call.environment,
        [markerName]: markerValue(context.installation, job)
      }
      const controller = new AbortController()
      const maxBytes = call.maxBytes ?? defaultMaxBytes
      const chunks: Array<Buffer> = []
      let size = 0
      let outcome = { exitCode: -1, stderr: "" }
      const config = [...always, ...(call.trusted === true ? [] : untrusted), ...(call.config ?? [])]
      const run = async () => {
        const git = simpleGit({
          baseDir: call.cwd,
          config,
          abort: controller.signal,
          allowEnvironment: Object.keys(environment),
          unsafe,
          // The output is complete when it is closed; who holds it open after Git's end is not waited for.
          completion: { onClose: true, onExit: 2000 },
          ...(call.input !== undefined && { input: () => Buffer.from(call.input!) }),
          errors: (error, result) => {
            outcome = { exitCode: result.exitCode, stderr: Buffer.concat(result.stdErr).toString("utf8") }
            return result.exitCode === 0 ? error : Buffer.from("failed")
          }
        })
        git.env(environment)
        git.outputHandler((_, stdout) => {
          stdout.on("data", (bytes: Buffer) => {
            chunks.push(bytes)
            size += bytes.length
            if (size > maxBytes) controller.abort()
          })
          // simple-git waits 50 ms more for output that never came; an empty piece at the end says that it is all.
          stdout.once("end", () => stdout.emit("data", Buffer.alloc(0)))
        })
        await git.raw([...call.args])
      }
      const ended = run().then(
        () => undefined,
        (error: unknown) =>
          new GitFailed({
            command: call.args[0] ?? "",
            exitCode: outcome.exitCode,
            stderr: outcome.stderr === "" && outcome.exitCode < 0 ? String(error) : outcome.stderr
          })
      )
      void ended.then((failure) => {
        live.delete(job)
        if (failure !== undefined && size <= maxBytes) return resume(Effect.fail(failure))
        const bytes = Buffer.concat(chunks).subarray(0, maxBytes)
        resume(Effect.succeed({ bytes, text: bytes.toString("utf8"), truncated: size > maxBytes }))
      })
      return Effect.promise(async () => {
        controller.abort()
        await Promise.race([ended, wait(farewellMillis)])
        // Git does not end what its hooks and helpers started.
        await terminate({ roots: [], marker: jobMarker(context.installation, job) }, 500)
      })
    })

  const run = (call: GitCall): Effect.Effect<GitOutput, GitFailed> => {
    const timeoutMillis = call.timeoutMillis ?? context.gitTimeoutMillis
    const patiently = (attempt: number): Effect.Effect<GitOutput, GitFailed> =>
      Effect.catchIf(
        once(call),
        (failure) => attempt < lockRetries && isLockContention(failure),
        () => Effect.andThen(Effect.promise(() => wait(50 * 2 ** attempt)), Effect.suspend(() => patiently(attempt + 1)))
      )
    return patiently(0).pipe(
      (self) =>
        within(self, timeoutMillis, () =>
          Effect.fail(
            new GitFailed({
              command: call.args[0] ?? "",
              exitCode: -1,
              stderr: `fatal: git ${call.args[0]} took longer than ${Math.round(timeoutMillis / 1000)} s`
            })
          ))
    )
  }

  return { run }
}
export type Git = ReturnType<typeof makeGit>

/** One line of output, whatever it contains but its end. */
export const line = (output: GitOutput): string => output.text.replace(/\n$/, "")

/** The fields of `-z` output. */
export const fields = (text: string): Array<string> => {
  const all = text.split("\0")
  all.pop()
  return all
}
