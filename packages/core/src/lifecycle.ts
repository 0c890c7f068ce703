import { Result } from "effect"
import { Conflict } from "./error.ts"

/** Every legal move of a noun, as data: from each status, the statuses that it may move to. There are no others. */
export type Lifecycle<Status extends string> = { readonly [From in Status]: ReadonlyArray<Status> }

export const mayMove = <Status extends string>(lifecycle: Lifecycle<Status>, from: Status, to: Status): boolean =>
  lifecycle[from].includes(to)

/** The statuses that `to` may be reached from, for a store's compare-and-set. */
export const sourcesOf = <Status extends string>(lifecycle: Lifecycle<Status>, to: Status): ReadonlyArray<Status> =>
  (Object.keys(lifecycle) as Array<Status>).filter((from) => mayMove(lifecycle, from, to))

/** A status from which nothing moves on. */
export const isFinal = <Status extends string>(lifecycle: Lifecycle<Status>, status: Status): boolean =>
  lifecycle[status].length === 0

/** The one way to a new status. */
export const move = <Status extends string>(
  lifecycle: Lifecycle<Status>,
  from: Status,
  to: Status
): Result.Result<Status, Conflict> =>
  mayMove(lifecycle, from, to)
    ? Result.succeed(to)
    : Result.fail(
      new Conflict({
        message: `Cannot move from ${from} to ${to}.`,
        hint: lifecycle[from].length === 0
          ? `${from} is final.`
          : `From ${from} it can become ${lifecycle[from].join(" or ")}.`
      })
    )
