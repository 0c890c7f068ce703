import type { CurrentPrincipal, McpSubscription, ResourceParameters, ResourceWatch } from "@coppice/core"
import { Cause, Effect, Stream } from "effect"
import type { ResourceRequests } from "./resource-requests.ts"

/** However often resources change, each is looked at no oftener than this. */
const restMillis = 200

/** A resource that is watched, and up to which revision its client was told of it. */
interface Watched<R> {
  readonly uri: string
  readonly watch: ResourceWatch<R>
  readonly parameters: ResourceParameters
  revision: string
  final: boolean
}

/**
 * Looks after what is subscribed to, and tells of each that has another revision than its client knows of. It never
 * ends. What cannot be looked at, as one that is not there any more, is passed over.
 */
export const watchResources = <R, R2>(
  { find }: ResourceRequests<R>,
  subscriptions: ReadonlyArray<McpSubscription>,
  tell: (subscription: McpSubscription) => Effect.Effect<void, never, R2>
): Effect.Effect<void, never, R | R2 | CurrentPrincipal> => {
  const watched = subscriptions.flatMap(({ revision, uri }): Array<Watched<R | CurrentPrincipal>> => {
    const found = find(uri)
    const watch = found?.resource.watch
    return watch === undefined ? [] : [{ uri, watch, parameters: found!.parameters, revision, final: false }]
  })
  const lookAt = Effect.fnUntraced(function*(each: Watched<R | CurrentPrincipal>) {
    const present = yield* Effect.option(each.watch.revision(each.parameters))
    if (present._tag === "None") return
    const { final, revision } = present.value
    if (revision !== each.revision) yield* tell({ uri: each.uri, revision })
    Object.assign(each, { final, revision })
  })
  const look = Effect.suspend(() => Effect.forEach(watched.filter(({ final }) => !final), lookAt, { discard: true })).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.logWarning("Resources could not be looked at", cause))
  )
  const changes = new Set(watched.map(({ watch }) => watch.changes))
  return Stream.mergeAll([Stream.tick("1 second"), ...changes], { concurrency: "unbounded" }).pipe(
    // What changes while it looks, or rests, is looked at once more.
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.runForEach(() => Effect.andThen(look, Effect.sleep(restMillis)))
  )
}
