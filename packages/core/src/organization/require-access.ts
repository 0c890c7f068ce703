import { Effect } from "effect"
import { Forbidden } from "../error.ts"
import { CurrentPrincipal } from "./principal.ts"

/** Lets nobody past whose credential is for looking only. */
export const requireFullAccess = Effect.flatMap(CurrentPrincipal, ({ access }) =>
  access === "read"
    ? new Forbidden({ message: "This credential may only read.", hint: "Use one that was made with full access." })
    : Effect.void)

/** Lets nobody past whose credential is for some projects only. */
export const requireAllProjects = Effect.flatMap(CurrentPrincipal, ({ projectIds }) =>
  projectIds === undefined
    ? Effect.void
    : new Forbidden({
      message: "This credential is for some projects only, and this concerns all of them.",
      hint: "Use one that was made for all projects."
    }))
