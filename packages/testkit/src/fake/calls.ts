import { HostOffline, LinkLost } from "@coppice/core"
import { Clock, Effect } from "effect"

/** One call of a port, as it was made. */
export interface FakeCall {
  /** Port and method, as `AgentLauncher.start`. */
  readonly name: CallName
  readonly argument: unknown
  readonly atMillis: number
  /** When it answered, failed or was interrupted; absent while it is under way. */
  endedAtMillis?: number
}

export type CallName =
  | "HostGateway.connect"
  | `Repositories.${"inspect" | "clone" | "push"}`
  | `Worktrees.${"create" | "list" | "status" | "diff" | "remove" | "freeBytes"}`
  | `AgentLauncher.${"agents" | "start" | "watch" | "stop" | "settle"}`

/**
 * What may go wrong with a call: the host is not there; the link is lost before, or after, the host did what was asked;
 * the adapter dies of a bug.
 */
export type Trouble = "offline" | "link_lost_before" | "link_lost_after" | "defect"

/** Every call that was made, and the troubles that are still to come. */
export const makeCalls = () => {
  const calls: Array<FakeCall> = []
  const troubles = new Map<CallName, Array<Trouble>>()
  const state = { online: true }

  const isOffline = (trouble: Trouble | undefined) => !state.online || trouble === "offline"

  const begin = (name: CallName, argument: unknown) =>
    Effect.map(Clock.currentTimeMillis, (atMillis) => {
      const call: FakeCall = { name, argument, atMillis }
      calls.push(call)
      return { call, trouble: troubles.get(name)?.shift() }
    })

  const end = (call: FakeCall) =>
    Effect.map(Clock.currentTimeMillis, (atMillis) => {
      call.endedAtMillis = atMillis
    })

  return {
    calls,
    state,
    interject: (name: CallName, trouble: Trouble, times = 1) => {
      troubles.set(name, [...troubles.get(name) ?? [], ...Array.from({ length: times }, () => trouble)])
    },
    begin,
    end,
    /** What stands before a call can reach the host. */
    reach: (trouble: Trouble | undefined): Effect.Effect<void, HostOffline | LinkLost> =>
      isOffline(trouble)
        ? Effect.fail(new HostOffline({ message: "The host is offline." }))
        : trouble === "link_lost_before"
        ? Effect.fail(linkLost())
        : trouble === "defect"
        ? Effect.die(new Error("A bug of the host's"))
        : Effect.void,
    /** Records a call, and lets happen to it what was interjected. */
    call: <A, E>(name: CallName, argument: unknown, effect: Effect.Effect<A, E>): Effect.Effect<A, E | HostOffline | LinkLost> =>
      Effect.flatMap(begin(name, argument), ({ call, trouble }) =>
        Effect.suspend((): Effect.Effect<A, E | HostOffline | LinkLost> => {
          if (isOffline(trouble)) return Effect.fail(new HostOffline({ message: "The host is offline." }))
          if (trouble === "link_lost_before") return Effect.fail(linkLost())
          if (trouble === "defect") return Effect.die(new Error("A bug of the host's"))
          return trouble === "link_lost_after" ? Effect.andThen(effect, Effect.fail(linkLost())) : effect
        }).pipe(Effect.ensuring(end(call))))
  }
}

export type Calls = ReturnType<typeof makeCalls>

export const linkLost = () => new LinkLost({ message: "The link to the host was lost." })
