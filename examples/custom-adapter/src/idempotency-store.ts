import type { IdempotentCall } from "@coppice/core"
import { IdempotencyStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer, Schema, Semaphore } from "effect"
import { openJsonLines } from "./json-lines-file.ts"

/** A key that stands for a call until it expires. */
const Taken = Schema.Struct({
  key: Schema.String,
  fingerprint: Schema.String,
  expiresAtMillis: Schema.Int,
  result: Schema.optionalKey(Schema.String)
})
type Taken = typeof Taken.Type

/** What a line says: how a key stands from then on. */
const Line = Schema.Union([Taken, Schema.Struct({ key: Schema.String, freed: Schema.Literal(true) })])
type Line = typeof Line.Type

const decode = Schema.decodeUnknownSync(Schema.Array(Line))

/** The file is written anew when it has twice the lines that counted the last time, and this many more. */
const spareLines = 1000

const keyOf = ({ key, organizationId, userId }: IdempotentCall): string => JSON.stringify([organizationId, userId, key])

/**
 * `IdempotencyStore` in a file of JSON lines, for one process: memory answers, and each change is on the disk before
 * anybody hears of it. A disk that fails is a defect, and no error of the port: a caller could do nothing about it.
 */
export const jsonLinesIdempotencyStore = (path: string): Layer.Layer<IdempotencyStore> =>
  Layer.effect(
    IdempotencyStore,
    Effect.gen(function*() {
      const file = yield* Effect.acquireRelease(
        Effect.promise(() => openJsonLines(path)),
        (file) => Effect.promise(file.close)
      )
      const taken = new Map<string, Taken>()
      const apply = (line: Line) => "freed" in line ? taken.delete(line.key) : taken.set(line.key, line)
      decode(file.values).forEach(apply)
      let lines = file.values.length
      let mostLines = 2 * taken.size + spareLines

      // The port's verbs are atomic: one at a time, and what has begun is carried through.
      const one = Semaphore.makeUnsafe(1)
      const verb = <A>(run: () => Promise<A>) => one.withPermit(Effect.uninterruptible(Effect.promise(run)))

      const write = async (line: Line) => {
        await file.append(line)
        lines += 1
        apply(line)
      }

      /** Time is an argument of this port, so that a call which begins says what has expired. */
      const tidy = async (millis: number) => {
        if (lines < mostLines) return
        const kept = [...taken.values()].filter(({ expiresAtMillis }) => expiresAtMillis > millis)
        await file.replace(kept)
        lines = kept.length
        mostLines = 2 * kept.length + spareLines
        taken.clear()
        kept.forEach(apply)
      }

      /** What is known of this very call, while it has no result. */
      const begun = (call: IdempotentCall) => {
        const known = taken.get(keyOf(call))
        return known?.fingerprint === call.fingerprint && known.result === undefined ? known : undefined
      }

      return IdempotencyStore.of({
        begin: (call, at, expiresAt) =>
          verb(async () => {
            const key = keyOf(call)
            const { fingerprint } = call
            const known = taken.get(key)
            if (known === undefined || known.expiresAtMillis <= DateTime.toEpochMillis(at)) {
              await tidy(DateTime.toEpochMillis(at))
              await write({ key, fingerprint, expiresAtMillis: DateTime.toEpochMillis(expiresAt) })
              return { _tag: "begun" as const }
            }
            if (known.fingerprint !== fingerprint) return { _tag: "mismatch" as const }
            return known.result === undefined ? { _tag: "pending" as const } : { _tag: "done" as const, result: known.result }
          }),
        complete: (call, result) =>
          verb(async () => {
            const known = begun(call)
            if (known !== undefined) await write({ ...known, result })
          }),
        abandon: (call) =>
          verb(async () => {
            const known = begun(call)
            if (known !== undefined) await write({ key: known.key, freed: true })
          })
      })
    })
  )
