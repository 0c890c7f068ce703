import type { OrganizationId, Page, PageRequest } from "@coppice/core"
import { Conflict, defaultLimit, toPage } from "@coppice/core"
import { Effect } from "effect"

interface Owned {
  readonly id: string
  readonly organizationId: OrganizationId
}

/** Adds a record. A second one by the same id is a mistake of the caller's, as it is to a real database. */
export const insert = <Id extends string, Row>(table: Map<Id, Row>, id: Id, row: Row): void => {
  if (table.has(id)) throw new Error(`There is a record with the id ${id} already`)
  table.set(id, row)
}

/** The records of one organization. */
export const owned = <Row extends Owned>(rows: Iterable<Row>, organizationId: OrganizationId): ReadonlyArray<Row> =>
  [...rows].filter((row) => row.organizationId === organizationId)

/** By id, else by name where exactly one has it. */
export const find = <Row extends { readonly id: string; readonly name: string }>(
  rows: ReadonlyArray<Row>,
  idOrName: string
): Row | undefined => {
  const named = rows.filter((row) => row.name === idOrName)
  return rows.find((row) => row.id === idOrName) ?? (named.length === 1 ? named[0] : undefined)
}

const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A page, newest first: ids are time-ordered. Nothing follows a cursor that no page gave. */
export const pageOf = <Row extends { readonly id: string }>(rows: ReadonlyArray<Row>, page: PageRequest): Page<Row> => {
  const { cursor, limit = defaultLimit } = page
  const after = rows.filter((row) => cursor === undefined || (id.test(cursor) && row.id < cursor.toLowerCase()))
  return toPage(after.toSorted((left, right) => left.id < right.id ? 1 : -1).slice(0, limit + 1), limit)
}

export const nameTaken = (noun: string, name: string): Effect.Effect<never, Conflict> =>
  Effect.fail(
    new Conflict({ message: `The name "${name}" is taken by another ${noun}.`, hint: "Choose another name." })
  )

/** What a patch has, of the fields that may change; `null` takes a value away. */
export const patched = <Row extends object, Patch extends object>(
  row: Row,
  patch: Patch,
  fields: ReadonlyArray<keyof Patch & keyof Row>
): Row => {
  const result = { ...row } as Record<PropertyKey, unknown>
  for (const field of fields) {
    const value: unknown = patch[field]
    if (value === null) delete result[field]
    else if (value !== undefined) result[field] = value
  }
  return result as Row
}

/** A record without some of its fields. */
export const without = <Row extends object, Field extends keyof Row>(
  row: Row,
  ...fields: ReadonlyArray<Field>
): Omit<Row, Field> => {
  const result = { ...row }
  for (const field of fields) delete result[field]
  return result
}
