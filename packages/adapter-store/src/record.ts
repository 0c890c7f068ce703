import type { Failure, Page, PageRequest, Timestamp } from "@coppice/core"
import { defaultLimit, toPage } from "@coppice/core"
import { DateTime, Schema } from "effect"
import { arrayParameter } from "./postgres.ts"

/** A row's names are already those of the record; what is left is to fold its columns into the record's shape. */
const shape = (row: object): object => {
  const record: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    if (value !== null) record[name] = mapText(unescapeText, value)
  }
  if (record["failureReason"] !== undefined) {
    record["failure"] = { reason: record["failureReason"], message: record["failureMessage"] }
  }
  return record
}

/** Reads rows as a core record. A row that does not decode is a defect: nothing but these stores wrote it. */
export const recordOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S): (row: object) => S["Type"] => {
  const decode = Schema.decodeUnknownSync(schema)
  return (row) => decode(shape(row))
}

/**
 * Any text as what a `text` column can hold, and back, exactly. PostgreSQL refuses U+0000, which agents do print, and
 * UTF-8 has no lone surrogates, which JSON can bring; so these are written as U+FDD0, which Unicode reserves for a
 * program's own use, and their number. All other text is stored as it is.
 */
export const escapeText = (text: string): string =>
  text.replace(/[\0\uFDD0\p{Surrogate}]/gu, (unit) => `\uFDD0${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
export const unescapeText = (text: string): string =>
  text.replace(/\uFDD0([0-9a-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))

const mapText = (change: (text: string) => string, value: unknown): unknown =>
  typeof value === "string" ? change(value) : Array.isArray(value) ? value.map((each) => mapText(change, each)) : value

/** Values as columns for `sql.insert` and `sql.update`: what is not there as NULL, and text as the database can hold it. */
export const columns = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mapText(escapeText, value ?? null)]))

/** Texts as one parameter. */
export const textArray = (texts: ReadonlyArray<string>) => arrayParameter.text(texts.map(escapeText))

/** An instant as a parameter. */
export const instant = (at: Timestamp | undefined): string | null => at === undefined ? null : DateTime.formatIso(at)

export const failureColumns = (failure: Failure | undefined) => ({
  failureReason: failure?.reason ?? null,
  failureMessage: failure?.message ?? null
})

/** The fields of a patch that are there, of those that may change: nothing else that an object brings becomes a column. */
export const present = <Patch extends object, Field extends keyof Patch>(patch: Patch, fields: ReadonlyArray<Field>) =>
  Object.fromEntries(fields.flatMap((field) => patch[field] === undefined ? [] : [[field, patch[field]]])) as Record<
    string,
    unknown
  >

/** Whether a query found anything. */
export const isThere = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * What a caller wrote for a record, as parameters. The id is there only when it can be one: comparing a column with what
 * its type cannot hold is an error and not a plain "no".
 */
export const reference = (idOrName: string): { readonly id: string | null; readonly name: string } => ({
  id: uuid.test(idOrName) ? idOrName : null,
  name: escapeText(idOrName)
})

const first = "00000000-0000-0000-0000-000000000000"
const last = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** Where a page begins and how many rows to fetch, one more than it shows. Nothing follows a cursor that no page gave. */
export const pageBounds = (page: PageRequest): { readonly before: string; readonly fetch: number } => ({
  before: page.cursor === undefined ? last : uuid.test(page.cursor) ? page.cursor : first,
  fetch: (page.limit ?? defaultLimit) + 1
})

export const pageOf = <A extends { readonly id: string }>(rows: ReadonlyArray<A>, page: PageRequest): Page<A> =>
  toPage(rows, page.limit ?? defaultLimit)
