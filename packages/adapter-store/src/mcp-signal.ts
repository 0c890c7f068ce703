import type { PgClient } from "@effect/sql-pg"
import type { McpSessionId, McpSignal } from "@coppice/core"
import { Deferred, Effect, Queue, Schedule, type Scope } from "effect"

const channel = "coppice_mcp"

const notify = (payload: string): string => `pg_notify('${channel}', ${payload})`

// Each stands in a statement that changed something, and is sent when that is committed.

/** Tells those who listen to a session that it may have changed; `id` is SQL. */
export const sessionSignal = (id: string): string => notify(`'s ' || ${id}`)

/** Tells those who depend on a credential, as "api-key:…", that it may have ended; `credential` is SQL. */
export const credentialSignal = (credential: string): string => notify(`'k ' || ${credential}`)

/** Tells those who listen to a session that a request is not wanted any more; both are SQL. */
export const cancelSignal = (id: string, request: string): string => notify(`'c ' || ${id} || ' ' || ${request}`)

export interface McpListener {
  readonly credential: string
  readonly id?: McpSessionId
  readonly tell: (signal: McpSignal) => void
}

/** How long a lost listener waits before it tries again: from 50 ms, doubled up to 5 s. */
const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")])

/**
 * The listeners of this process, over one connection that is opened for the first of them and then kept. When that was
 * lost and is back, everybody is told, since signals sent meanwhile are gone.
 */
export const makeMcpSignals = Effect.fnUntraced(function*(client: PgClient.PgClient) {
  const scope = yield* Effect.scope
  const listeners = new Set<McpListener>()
  let listening: Deferred.Deferred<void> | undefined

  const tell = (payload: string): void => {
    const [kind, subject = "", request = ""] = payload.split(" ")
    for (const listener of listeners) {
      if (kind === "k" ? listener.credential === subject : listener.id === subject) {
        listener.tell(kind === "c" ? { _tag: "Cancel", request } : { _tag: "Changed" })
      }
    }
  }

  const follow = (ready: Deferred.Deferred<void>) =>
    Effect.gen(function*() {
      const notifications = yield* client.listen(channel)
      for (const listener of listeners) listener.tell({ _tag: "Changed" })
      yield* Deferred.succeed(ready, undefined)
      while (true) {
        for (const payload of yield* Queue.takeAll(notifications)) tell(payload.payload)
      }
    }).pipe(Effect.scoped, Effect.retry(backoff), Effect.orDie)

  /** Resolves once signals arrive, or after a second in which the database did not answer. */
  const begin = Effect.suspend(() => {
    if (listening === undefined) {
      listening = Deferred.makeUnsafe()
      return Effect.andThen(Effect.forkIn(follow(listening), scope), Effect.timeoutOption(Deferred.await(listening), "1 second"))
    }
    return Deferred.isDoneUnsafe(listening) ? Effect.void : Effect.timeoutOption(Deferred.await(listening), "1 second")
  })

  return (listener: McpListener): Effect.Effect<void, never, Scope.Scope> =>
    Effect.andThen(
      Effect.acquireRelease(
        Effect.sync(() => listeners.add(listener)),
        () => Effect.sync(() => listeners.delete(listener))
      ),
      begin
    )
})
