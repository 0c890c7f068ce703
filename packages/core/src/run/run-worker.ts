import { Cause, Clock, Effect, Fiber, Queue, Schedule, Stream } from "effect"
import { HostGateway } from "../host-gateway.ts"
import type { HostConnection } from "../host-gateway.ts"
import type { MachineId, RunId } from "../id.ts"
import { recordStatus } from "./run-journal.ts"
import { attemptRun } from "./run-attempt.ts"
import type { LeaseTimes } from "./run-lease.ts"
import { type Claim, RunQueue } from "./run-queue.ts"
import { settleMachine } from "./settle-machine.ts"
import { keepHost } from "./keep-host.ts"
import { tidyAfterRun } from "./tidy-workspaces.ts"

export interface RunWorkerOptions extends LeaseTimes {
  readonly machineId: MachineId
  readonly machineName: string
  readonly maxConcurrentRuns: number
  /** With less than this free where worktrees are made, no run is prepared. */
  readonly minFreeBytes: number
  /** How often it looks for work without being told that there is some. */
  readonly pollMillis: number
}

export const runWorkerDefaults = {
  leaseMillis: 15_000,
  heartbeatMillis: 5_000,
  fenceMillis: 5_000,
  maxConcurrentRuns: 4,
  minFreeBytes: 1024 ** 3,
  pollMillis: 2_000
} as const

/**
 * Does a machine's runs, for ever: settles what an earlier life left, then claims what its caps allow and makes an
 * attempt at each. One for each machine. When it is interrupted it takes nothing up any more, ends its agents, puts
 * their runs back in the queue and is done within the time that a process tree takes to end.
 */
export const runWorker = Effect.fn("runWorker")(function*(options: RunWorkerOptions) {
  const connection = yield* (yield* HostGateway).connect({ machineId: options.machineId, name: options.machineName })
  yield* persistently("settle what was left", settleMachine(options.machineId, connection))
  yield* Effect.scoped(work(options, connection))
})

interface Attempt {
  readonly fiber: Fiber.Fiber<void>
  readonly poke: Queue.Queue<void>
}

const work = Effect.fnUntraced(function*(options: RunWorkerOptions, connection: HostConnection) {
  const queue = yield* RunQueue
  const scope = yield* Effect.scope
  const wake = yield* Queue.sliding<void>(1)
  const attempts = new Map<RunId, Attempt>()
  const fibers = new Set<Fiber.Fiber<void>>()
  const host = yield* keepHost(options, connection)

  /** A claim that had to wait has used up a part of its lease, and might have to be given up before it begins. */
  const renewed = (claim: Claim & { readonly claimedAtMillis: number }) =>
    Effect.gen(function*() {
      const claimedAtMillis = yield* Clock.currentTimeMillis
      const answer = yield* queue.renew(claim.lease, options.leaseMillis)
      return answer === "lost" ? claim : { ...claim, claimedAtMillis }
    }).pipe(Effect.catchDefect(() => Effect.succeed(claim)))

  const start = Effect.fnUntraced(function*(claim: Claim & { readonly claimedAtMillis: number }) {
    const previous = attempts.get(claim.run.id)
    const poke = yield* Queue.sliding<void>(1)
    const attempt = Effect.gen(function*() {
      // An attempt of ours that lost its lease may still be ending its processes; two never run side by side.
      if (previous !== undefined) {
        Queue.offerUnsafe(previous.poke, undefined)
        yield* Fiber.await(previous.fiber)
      }
      yield* attemptRun(previous === undefined ? claim : yield* renewed(claim), connection, options, poke)
      yield* Effect.forkIn(tidyAfterRun(claim, connection), scope)
    }).pipe(
      Effect.catchCause((cause) => Effect.logError(`Run ${claim.run.id}: the attempt failed; its lease will run out`, cause)),
      Effect.ensuring(Effect.suspend(() => {
        if (attempts.get(claim.run.id)?.poke === poke) attempts.delete(claim.run.id)
        return Queue.offer(wake, undefined)
      }))
    )
    // It says itself where it can be interrupted: what was claimed is always given back.
    const fiber = yield* Effect.forkIn(attempt, scope, { uninterruptible: true })
    attempts.set(claim.run.id, { fiber, poke })
    fibers.add(fiber)
    fiber.addObserver(() => fibers.delete(fiber))
  })

  const claimNext = Effect.uninterruptible(Effect.gen(function*() {
    const claimedAtMillis = yield* Clock.currentTimeMillis
    const claim = yield* queue.claim(options.machineId, options)
    if (claim !== undefined) yield* start({ ...claim, claimedAtMillis })
    return claim !== undefined
  }))

  const claimAll = Effect.gen(function*() {
    while (attempts.size < options.maxConcurrentRuns && !host.held()) {
      if (!(yield* claimNext)) return
    }
  })

  let reapedAt = 0
  const reap = Effect.gen(function*() {
    const at = yield* Clock.currentTimeMillis
    if (at - reapedAt < reapMillis) return
    reapedAt = at
    for (const run of yield* queue.reap()) yield* recordStatus(run)
  })

  const lookAround = Effect.suspend(() => {
    for (const { poke } of attempts.values()) Queue.offerUnsafe(poke, undefined)
    return Queue.offer(wake, undefined)
  })
  const listen = Stream.runForEach(Stream.concat(queue.changes, Stream.never), () => lookAround)
  yield* Effect.forkIn(persistently("listen for changes of the queue", listen), scope)
  yield* Effect.forkIn(Effect.repeat(lookAround, Schedule.spaced(options.pollMillis)), scope)
  const round = Effect.andThen(Effect.andThen(Queue.take(wake), reap), claimAll)
  return yield* Effect.forever(persistently("take up runs", round)).pipe(
    // All at once: the scope would end them one after the other.
    Effect.ensuring(Effect.suspend(() => Fiber.interruptAll(fibers)))
  )
})

const reapMillis = 1_000

/** Repeats what fails because something is away, as a database that restarts. It says so once, and once that it is back. */
const persistently = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> => {
  const attempt = (failures: number): Effect.Effect<A, never, R> =>
    Effect.matchCauseEffect(effect, {
      onSuccess: (value) => Effect.as(failures === 0 ? Effect.void : Effect.logInfo(`Could ${what} again`), value),
      onFailure: (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : (failures === 0 ? Effect.logWarning(`Could not ${what}; trying again until it works`, cause) : Effect.void).pipe(
            Effect.andThen(Effect.sleep(1_000)),
            Effect.andThen(Effect.suspend(() => attempt(failures + 1)))
          )
    })
  return attempt(0)
}
