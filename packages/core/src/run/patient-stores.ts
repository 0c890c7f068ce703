import { Effect } from "effect"
import { AgentSessionStore } from "../agent-session/agent-session-store.ts"
import { AutomationStore } from "../automation/automation-store.ts"
import { WorkspaceStore } from "../workspace/workspace-store.ts"
import { RunEventStore } from "./run-event-store.ts"
import { RunQueue } from "./run-queue.ts"

const retryMillis = 250

/** Repeats an effect on a store that is away for a while, as while a database restarts; then it dies as it would have. */
export const enduring = <A, E, R>(effect: Effect.Effect<A, E, R>, forMillis: number): Effect.Effect<A, E, R> =>
  Effect.catchDefect(
    effect,
    (defect) =>
      forMillis <= 0
        ? Effect.die(defect)
        : Effect.andThen(Effect.sleep(retryMillis), enduring(effect, forMillis - retryMillis))
  )

const patient = (forMillis: number) => <Store extends object>(store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown
      return typeof member !== "function"
        ? member
        : (...args: ReadonlyArray<unknown>) =>
          enduring(Effect.suspend(() => Reflect.apply(member, target, args) as Effect.Effect<unknown>), forMillis)
    }
  })

/** Has every call of the stores that an attempt writes to endure a store that is away for that long. */
export const withPatientStores = (forMillis: number) => <A, E, R>(attempt: Effect.Effect<A, E, R>) =>
  attempt.pipe(
    Effect.updateService(AgentSessionStore, patient(forMillis)),
    Effect.updateService(AutomationStore, patient(forMillis)),
    Effect.updateService(RunEventStore, patient(forMillis)),
    Effect.updateService(RunQueue, patient(forMillis)),
    Effect.updateService(WorkspaceStore, patient(forMillis))
  )
