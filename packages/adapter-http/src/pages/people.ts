import type { User, UserId } from "@coppice/core"
import { UserStore } from "@coppice/core/ports"
import { Effect } from "effect"

/** Users by their ids, those too who are no members any more. */
export const peopleOf = Effect.fnUntraced(function*(ids: ReadonlyArray<UserId | undefined>) {
  const store = yield* UserStore
  const distinct = [...new Set(ids)].filter((id) => id !== undefined)
  const users = yield* Effect.forEach(distinct, (id) => store.find(id), { concurrency: 8 })
  return new Map<UserId, User>(users.flatMap((user) => user === undefined ? [] : [[user.id, user]]))
})
export type People = ReadonlyMap<UserId, User>

/** What a person is called, where it has to be said in a word. */
export const nameIn = (people: People, id: UserId | undefined): string =>
  (id === undefined ? undefined : people.get(id)?.name) ?? "Somebody who is gone"
