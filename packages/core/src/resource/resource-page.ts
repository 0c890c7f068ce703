import { Effect } from "effect"
import { InvalidRequest } from "../error.ts"
import { defaultLimit, type Page } from "../page.ts"
import type { ToolFailure } from "../tool/tool.ts"
import { isTemplate, type ListedResource, type Resource } from "./resource.ts"

export interface ResourceListing extends ListedResource {
  readonly description: string
  readonly mimeType: string
}

const readCursor = (cursor: string | undefined): { readonly place: number; readonly inner?: string } | undefined => {
  if (cursor === undefined) return { place: 0 }
  const match = /^(\d{1,6})\.(.{0,200})$/.exec(cursor)
  if (match === null) return undefined
  const [, place, inner] = match
  return inner === "" ? { place: Number(place) } : { place: Number(place), inner: inner! }
}

/** A page of the resources of a catalogue: kind after kind, in its order. */
export const listResources = Effect.fn("listResources")(function*<R>(
  catalog: ReadonlyArray<Resource<R>>,
  cursor: string | undefined,
  limit: number = defaultLimit
): Effect.fn.Return<Page<ResourceListing>, ToolFailure, R> {
  const start = readCursor(cursor)
  if (start === undefined) return yield* new InvalidRequest({ message: "The cursor is none that a list gave." })
  const items: Array<ResourceListing> = []
  let { inner, place } = start
  while (place < catalog.length && items.length < limit) {
    const resource = catalog[place]!
    const { description, list, mimeType, name, title, uri } = resource
    const page: Page<ListedResource> = list !== undefined
      ? yield* list({ limit: limit - items.length, ...(inner === undefined ? {} : { cursor: inner }) })
      : { items: isTemplate(uri) ? [] : [{ uri, name, title }] }
    items.push(...page.items.map((item) => ({ description, mimeType, ...item })))
    inner = page.nextCursor
    if (inner === undefined) place++
  }
  // A kind that is not listed is no reason to come again.
  while (inner === undefined && place < catalog.length && catalog[place]!.list === undefined && isTemplate(catalog[place]!.uri)) {
    place++
  }
  return place < catalog.length ? { items, nextCursor: `${place}.${inner ?? ""}` } : { items }
})
