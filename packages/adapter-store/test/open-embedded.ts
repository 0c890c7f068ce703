import { Effect, type Scope } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type EmbeddedOptions, type OpenDatabase, openEmbedded } from "../src/embedded/open.ts"
import { EmbeddedUnavailable } from "../src/embedded/unavailable.ts"

/** The database with its insides, for the tests that look at them. It closes with the scope. */
export const open = (options: EmbeddedOptions): Effect.Effect<OpenDatabase, EmbeddedUnavailable, Scope.Scope> =>
  Effect.provide(openEmbedded(options), Reactivity.layer)

export const elapsed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(Effect.exit(effect), (exit) => ({ exit, millis: performance.now() - began }))
  })
