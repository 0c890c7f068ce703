import { PageRequest } from "@coppice/core"
import { Schema } from "effect"
import type { Call } from "../pipeline/call.ts"
import { useFrame } from "./frame.ts"

const isPageRequest = Schema.is(PageRequest)

const queryOf = ({ request }: Pick<Call, "request">): URLSearchParams => new URL(request.url).searchParams

/** Which part of a list an address asks for; the first part where it makes no sense. */
export const partOf = (call: Pick<Call, "request">, limit = 50): PageRequest => {
  const part = { limit, cursor: queryOf(call).get("cursor") ?? undefined }
  return isPageRequest(part) ? part : { limit }
}

interface PagerProps {
  /** Where the list goes on, if it does. */
  readonly next: string | undefined
  readonly label: string
}

/** The ways from one part of a long list to the next, and back to its beginning. Nothing where there is but one. */
export const Pager = ({ label, next }: PagerProps) => {
  const { location, path } = useFrame()
  const query = new URLSearchParams(location.slice(path.length))
  const isFirst = !query.has("cursor")
  if (isFirst && next === undefined) return null
  const to = (cursor: string | undefined) => {
    const other = new URLSearchParams(query)
    other.delete("notice")
    other.delete("cursor")
    if (cursor !== undefined) other.set("cursor", cursor)
    const search = other.toString()
    return search === "" ? path : `${path}?${search}`
  }
  return (
    <nav class="pager" aria-label={label}>
      {!isFirst && <a class="button plain" href={to(undefined)}>Newest</a>}
      {next !== undefined && <a class="button plain" href={to(next)} rel="next">Older</a>}
    </nav>
  )
}
