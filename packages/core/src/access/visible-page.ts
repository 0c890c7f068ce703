import { Effect } from "effect"
import type { Page, PageRequest } from "../page.ts"

/** How many pages of a list are passed over before an empty one is answered, so that no call goes on without end. */
const maxPassedOver = 20

/**
 * Of a list, a page of what may be seen. It may be shorter than others; the cursor is the list's own, and so goes on
 * where the page ends. Pages that would show nothing are passed over.
 */
export const visiblePage = Effect.fnUntraced(function*<A, E, R>(
  page: PageRequest,
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>,
  sees: (item: A) => boolean
) {
  let found = yield* list(page)
  for (let passed = 0; passed < maxPassedOver; passed++) {
    const items = found.items.filter(sees)
    if (items.length > 0 || found.nextCursor === undefined) return { ...found, items }
    found = yield* list({ ...page, cursor: found.nextCursor })
  }
  return { ...found, items: found.items.filter(sees) }
})
