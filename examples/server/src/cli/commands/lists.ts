import type { Answers } from "../answers.ts"
import { given, type Json, type Session } from "../command.ts"

/** The operations that answer a page of records. */
type Lists = { [Name in keyof Answers as Name extends `${string}_list` ? Name : never]: Answers[Name] }
type Records<Name extends keyof Lists> = Lists[Name][Exclude<keyof Lists[Name], "nextCursor">]

/** All records of a list, page by page, or as many of them as are wanted. */
export const listAll = async <Name extends keyof Lists>(
  session: Session,
  operation: Name,
  field: Exclude<keyof Lists[Name], "nextCursor">,
  filter: Json = {},
  atMost = Number.POSITIVE_INFINITY
): Promise<Records<Name>> => {
  const records: Array<unknown> = []
  let cursor: string | undefined
  do {
    const limit = Math.min(100, atMost - records.length)
    const page: Lists[Name] = await session.call(operation, given({ ...filter, limit, cursor }))
    records.push(...page[field] as ReadonlyArray<unknown>)
    cursor = page.nextCursor
  } while (cursor !== undefined && records.length < atMost)
  return records as Records<Name>
}
