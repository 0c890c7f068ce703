import type { RunEventRecord, RunRecord } from "../answers.ts"
import { type Command, type Context, Failed, given } from "../command.ts"
import { details, duration, harmless, relative, table } from "../text.ts"
import { listAll } from "./lists.ts"

const run = { name: "RUN", about: "the run's id" }

const waits: Readonly<Record<string, string>> = {
  worker: "is next",
  host_offline: "its host is offline",
  host_held: "its host has too little free disk",
  host_capacity: "its host is busy",
  automation_capacity: "its automation has a cap",
  workspace: "its workspace is in use"
}

const note = ({ exitCode, failure, queuePosition, waitingFor }: RunRecord): string | undefined => {
  if (failure !== undefined) return `${failure.reason}: ${failure.message}`
  if (waitingFor !== undefined) return `position ${queuePosition}, ${waits[waitingFor] ?? waitingFor}`
  return exitCode === undefined ? undefined : `exit code ${exitCode}`
}

export const runsList: Command = {
  name: "runs list",
  summary: "List runs, newest first",
  options: {
    status: { value: "STATUS", about: "Only those that are queued, preparing, running, succeeded, failed or cancelled" },
    automation: { value: "AUTOMATION", about: "Only those of this automation" },
    limit: { value: "N", about: "How many at the most; 20 when left out" }
  },
  run: async ({ input, session }) => {
    const filter = given({ status: input.text("status"), automationId: input.text("automation") })
    const runs = await listAll(session, "runs_list", "runs", filter, Math.max(1, input.number("limit") ?? 20))
    return {
      json: { runs },
      text: runs.length === 0
        ? "There is no such run."
        : table(["ID", "STATE", "STARTED BY", "CREATED", "TOOK", "NOTE"], runs.map((run) =>
          [run.id, run.status, run.trigger, relative(run.createdAt), duration(run.startedAt, run.endedAt), note(run)]))
    }
  }
}

export const runsShow: Command = {
  name: "runs show",
  summary: "Show a run: its state, its outcome, and why it waits or failed",
  positionals: [run],
  run: async ({ input, session }) => {
    const json = await session.call("runs_get", { runId: input.positionals[0] })
    const { run } = json
    return {
      json,
      text: details([
        ["run", run.id],
        ["state", run.status],
        ["note", note(run)],
        ["automation", run.automationId],
        ["started by", run.trigger],
        ["attempt", run.attempt],
        ["retry of", run.retryOf],
        ["workspace", run.workspaceId],
        ["agent session", run.agentSessionId],
        ["created", `${run.createdAt} (${relative(run.createdAt)})`],
        ["took", duration(run.startedAt, run.endedAt)]
      ])
    }
  }
}

/** An event as a line or more of text. What an agent printed is printed as it is, where a program reads it. */
const eventText = (event: RunEventRecord): string => {
  const text = process.stdout.isTTY ? harmless(event.text ?? "") : event.text ?? ""
  switch (event.type) {
    case "output":
    case "setup_output":
      return text
    case "output_dropped":
      return `[${event.bytes} bytes of output were dropped here]\n`
    case "status":
      return `[${event.status}${text === "" ? "" : `: ${text}`}]\n`
    default:
      return `[${text}]\n`
  }
}

const eventsOf = async function*({ input, session }: Context) {
  const runId = input.positionals[0]!
  if (input.has("follow")) return yield* session.follow(runId, 0)
  const limit = 1000
  let page: ReadonlyArray<RunEventRecord> = []
  do {
    const afterSequence = page.at(-1)?.sequence ?? 0
    page = (await session.call("runs_events", { runId, afterSequence, limit })).events
    yield* page
  } while (page.length === limit)
}

export const runsLogs: Command = {
  name: "runs logs",
  summary: "Show what happened in a run: its states, preparation and the agent's output",
  positionals: [run],
  options: { follow: { about: "Go on until the run has ended" } },
  run: async (context) => {
    const events: Array<RunEventRecord> = []
    let atLineStart = true
    for await (const event of eventsOf(context)) {
      if (context.input.has("json")) events.push(event)
      const text = eventText(event)
      const own = event.type !== "output" && event.type !== "setup_output"
      context.print(own && !atLineStart ? `\n${text}` : text)
      if (text !== "") atLineStart = text.endsWith("\n")
    }
    if (!atLineStart) context.print("\n")
    return { json: { events } }
  }
}

export const runsCancel: Command = {
  name: "runs cancel",
  summary: "Cancel a run: a queued one at once, a running one by ending its agent",
  positionals: [run],
  run: async ({ input, session }) => {
    const json = await session.call("runs_cancel", { runId: input.positionals[0] })
    const { id, status } = json.run
    return { json, text: status === "cancelled" ? `The run ${id} is cancelled.` : `The run ${id} is ${status} and is being cancelled.` }
  }
}

export const runsRetry: Command = {
  name: "runs retry",
  summary: "Start a new run of the same automation with the same payload",
  positionals: [run],
  run: async ({ input, session }) => {
    const json = await session.call("runs_retry", { runId: input.positionals[0] })
    return { json, text: `The run ${json.run.id} is ${json.run.status}.` }
  }
}

const marks: Readonly<Record<string, string>> = { added: "A", modified: "M", deleted: "D", renamed: "R" }

export const runsDiff: Command = {
  name: "runs diff",
  summary: "Show what the agent changed in the run's workspace",
  positionals: [run],
  options: { patch: { about: "Show the patch, and not only the files" } },
  run: async ({ input, session }) => {
    const { run } = await session.call("runs_get", { runId: input.positionals[0] })
    if (run.workspaceId === undefined) {
      throw new Failed({ code: "CONFLICT", message: `The run is ${run.status} and has no workspace.`, hint: note(run) })
    }
    const format = input.has("patch") ? "patch" : "summary"
    const json = await session.call("workspaces_diff", { workspaceId: run.workspaceId, format })
    const { files, patch, truncated } = json.diff
    const cut = truncated ? "\n[cut here: the patch is larger]" : ""
    if (patch !== undefined) return { json, text: `${process.stdout.isTTY ? harmless(patch) : patch}${cut}` }
    const rows = files.map((file) => [
      marks[file.change] ?? file.change,
      file.addedLines === undefined ? "binary" : `+${file.addedLines} -${file.deletedLines ?? 0}`,
      file.path
    ])
    return { json, text: rows.length === 0 ? "Nothing differs." : table(["", "LINES", "FILE"], rows) }
  }
}
