import { Context, Effect } from "effect"

/** How far a call has come. */
export interface Progress {
  /** What is done: each report's is more than the one before. */
  readonly progress: number
  /** What there is to do, where that is known. */
  readonly total?: number
  /** What is being done, for people to read. */
  readonly message?: string
}

/** Where a use case that takes long tells how far it has come. Unless the transport listens, nobody does. */
export const ToolProgress = Context.Reference<(progress: Progress) => Effect.Effect<void>>(
  "@coppice/core/tool/ToolProgress",
  { defaultValue: () => () => Effect.void }
)

/** Tells one step after the other, where nobody knows how many there will be. */
export const reportSteps = Effect.map(ToolProgress, (report) => {
  let progress = 0
  return (message: string): Effect.Effect<void> => report({ progress: ++progress, message })
})
