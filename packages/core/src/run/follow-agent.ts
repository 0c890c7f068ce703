import { Effect, Option, Schedule, Stream } from "effect"
import type { AgentEvent } from "../agent-session/agent-launcher.ts"
import type { AgentSession } from "../agent-session/agent-session.ts"
import type { Failure } from "../failure.ts"
import type { HostConnection } from "../host-gateway.ts"
import { joinOutput, record } from "./run-journal.ts"
import type { Claim } from "./run-queue.ts"

/** How an agent's work ended, by what was observed. `lost` when its host lost it. */
export interface Outcome {
  readonly status: "succeeded" | "failed" | "lost"
  readonly exitCode?: number
  readonly failure?: Failure
}

export const failed = (reason: Failure["reason"], message: string): Effect.Effect<Outcome> =>
  Effect.succeed({ status: "failed", failure: { reason, message } })

export const lost = (message: string): Effect.Effect<Outcome> =>
  Effect.succeed({ status: "lost", failure: { reason: "host_lost", message } })

type Exit = AgentEvent & { readonly _tag: "Exited" }

const isExit = (event: AgentEvent): event is Exit => event._tag === "Exited"

/** Follows an agent to its end, writing its output down as it comes. A lost link is taken up again where it broke. */
export const followAgent = Effect.fn("followAgent")(function*(
  { automation, run }: Claim,
  connection: HostConnection,
  session: AgentSession
) {
  let sequence = 0
  const follow = Effect.suspend(() =>
    connection.agentLauncher.watch(session.id, sequence).pipe(
      Stream.groupedWithin(256, "150 millis"),
      Stream.mapEffect((events) =>
        Effect.map(record(run, joinOutput(events)), () => {
          sequence = events.at(-1)?.sequence ?? sequence
          return events.find(isExit)
        })
      ),
      Stream.filter((event) => event !== undefined),
      Stream.runHead
    )
  ).pipe(Effect.retry(Schedule.spaced("1 second")))
  const ended = yield* Effect.timeoutOption(follow, automation.timeoutSeconds * 1000)
  return Option.isNone(ended)
    ? yield* failed("timeout", `The agent was ended after ${automation.timeoutSeconds} seconds.`)
    : yield* outcomeOf(Option.getOrUndefined(ended.value))
})

/** What a process's end says: exit code 0 is success, and nothing else is. */
const outcomeOf = (exit: Exit | undefined): Effect.Effect<Outcome> => {
  if (exit === undefined) return lost("The agent's process is unknown.")
  const { exitCode, signal } = exit
  if (exitCode === 0) return Effect.succeed({ status: "succeeded", exitCode })
  const how = exitCode === undefined ? `was ended by ${signal ?? "a signal"}` : `exited with code ${exitCode}`
  return Effect.map(failed("agent_exit", `The agent ${how}.`), (outcome) =>
    exitCode === undefined ? outcome : { ...outcome, exitCode })
}
