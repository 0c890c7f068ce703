import type { Setup, WorkspaceId, WorktreeFailed } from "@coppice/core"
import { Effect } from "effect"
import { join } from "node:path"
import type { HostContext } from "../host-context.ts"
import { childEnvironment } from "../process/environment.ts"
import { startJob } from "../process/job.ts"
import { findProgram } from "../process/program.ts"
import { openTranscript } from "../process/transcript.ts"
import { within } from "../real-time.ts"
import { worktreeFailed } from "./failed.ts"

/** What of the commands' output is told as it comes; their log has all of it. */
const maxToldBytes = 1024 * 1024
const lastLines = 20
const defaultTimeoutSeconds = 600

/** The end of an output, for a failure's message. */
const tail = () => {
  let text = ""
  return {
    add: (more: string) => {
      text = (text + more).slice(-16_384)
    },
    lines: () => text.trimEnd().split("\n").slice(-lastLines).join("\n")
  }
}

const shown = (command: ReadonlyArray<string>): string => JSON.stringify(command).slice(0, 300)

const runCommand = (
  context: HostContext,
  workspaceId: WorkspaceId,
  path: string,
  command: ReadonlyArray<string>,
  onOutput: (text: string) => void
): Effect.Effect<void, WorktreeFailed> =>
  Effect.gen(function*() {
    const environment: Record<string, string> = {
      ...childEnvironment(context.environment, context.excludedPathEntries),
      COPPICE_WORKSPACE_ID: workspaceId,
      COPPICE_WORKSPACE_PATH: path
    }
    const failed = (why: string) => worktreeFailed("setup", `The set-up command ${shown(command)} ${why}`)
    const [name = "", ...args] = command
    // A relative path is the repository's own script; a bare name is looked up where the operator's programs are.
    const program = name.includes("/") && !name.startsWith("/")
      ? join(path, name)
      : yield* Effect.promise(() => findProgram(name, environment["PATH"]!))
    if (program === undefined) return yield* failed("cannot be run: its program is not on the host.")
    const end = tail()
    const job = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () =>
          startJob(context.jobs, {
            kind: "setup",
            job: `setup-${workspaceId}`,
            program,
            args,
            cwd: path,
            environment,
            onOutput: (_, text) => {
              end.add(text)
              onOutput(text)
            },
            transcript: openTranscript(join(context.folders.transcripts, `setup-${workspaceId}.log`), context.transcriptBytes)
          }),
        catch: (error) => failed(`could not be started: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`)
      }),
      (job) => Effect.promise(() => job.stop())
    )
    const outcome = yield* Effect.promise(() => job.ended)
    if (outcome.exitCode === 0) return
    const how = outcome.exitCode === undefined ? `was ended by ${outcome.signal}` : `ended with exit code ${outcome.exitCode}`
    return yield* failed(`${how}. Its last lines:\n${end.lines()}`)
  }).pipe(Effect.scoped)

/** Runs the set-up commands in order, all of them within one time, each with everything that it starts. */
export const runSetup = (
  context: HostContext,
  workspaceId: WorkspaceId,
  path: string,
  setup: Setup,
  onOutput: (text: string) => void
): Effect.Effect<void, WorktreeFailed> => {
  const seconds = setup.timeoutSeconds ?? defaultTimeoutSeconds
  let told = 0
  const tell = (text: string) => {
    if (text === "" || told > maxToldBytes) return
    told += Buffer.byteLength(text)
    onOutput(told > maxToldBytes ? `${text}\n[coppice: there is more of it in the log]\n` : text)
  }
  return Effect.forEach(setup.commands, (command) => runCommand(context, workspaceId, path, command, tell), { discard: true }).pipe(
    (self) =>
      within(self, seconds * 1000, () =>
        Effect.fail(worktreeFailed("setup", `The set-up commands took longer than ${seconds} s.`)))
  )
}
