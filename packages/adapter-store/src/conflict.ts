import { Conflict } from "@coppice/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Turns the violation of that unique constraint into a conflict; every other failure of the database is a defect. */
export const conflictOn = (constraint: string, message: string, hint: string) =>
  Effect.catch((error: SqlError): Effect.Effect<never, Conflict> =>
    error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint
      ? Effect.fail(new Conflict({ message, hint }))
      : Effect.die(error)
  )

export const nameTaken = (constraint: string, noun: string, name: string) =>
  conflictOn(constraint, `The name "${name}" is taken by another ${noun}.`, "Choose another name.")
