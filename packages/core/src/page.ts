import { Schema } from "effect"

/** What a caller asks of a list: at most `limit` records (1 to 100, 50 when left out), after `cursor`. */
export const PageRequest = Schema.Struct({
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
      description: "How many at the most, 1 to 100; 50 when left out"
    })
  ),
  cursor: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200)).annotate({
    description: "`nextCursor` of the page before"
  }))
})
export type PageRequest = typeof PageRequest.Type

/** A page of records, newest first unless the list says otherwise. The cursor is opaque to callers. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor?: string
}

export const defaultLimit = 50

/**
 * Cuts a page out of rows fetched one beyond the limit. Ids are time-ordered, so the last id shown is the cursor:
 * a list in descending id order continues below it, and records made meanwhile shift nothing.
 */
export const toPage = <A extends { readonly id: string }>(rows: ReadonlyArray<A>, limit: number): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return rows.length > limit && last !== undefined ? { items, nextCursor: last.id } : { items }
}
