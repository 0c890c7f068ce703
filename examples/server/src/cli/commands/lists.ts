import { given, type Json, type Session } from "../command.ts"

/** All records of a list, page by page, or as many of them as are wanted. */
export const listAll = async (
  session: Session,
  operation: string,
  field: string,
  filter: Json = {},
  atMost = Number.POSITIVE_INFINITY
): Promise<Array<any>> => {
  const records: Array<any> = []
  let cursor: string | undefined
  do {
    const limit = Math.min(100, atMost - records.length)
    const page = await session.call(operation, given({ ...filter, limit, cursor }))
    records.push(...page[field])
    cursor = page.nextCursor
  } while (cursor !== undefined && records.length < atMost)
  return records
}
