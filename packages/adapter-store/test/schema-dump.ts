import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

interface Line {
  readonly line: string
}

/** The schema as text, the same on every server: each table with its columns, constraints and indexes, in order of names. */
export const schemaDump = Effect.gen(function*() {
  const sql = yield* SqlClient
  const tables = yield* sql<{ readonly oid: number; readonly head: string }>`
    SELECT c.oid::integer AS oid, 'CREATE ' || CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'TABLE ' || c.relname
      || coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '') AS head
    FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname`
  const blocks: Array<string> = []
  for (const { head, oid } of tables) {
    const columns = yield* sql<Line>`
      SELECT a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
        || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
      FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = ${oid} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`
    // PostgreSQL 18 lists NOT NULL as constraints too; they are in the columns.
    const constraints = yield* sql<Line>`
      SELECT 'CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid) AS line
      FROM pg_constraint WHERE conrelid = ${oid} AND contype <> 'n' ORDER BY contype, conname`
    const indexes = yield* sql<Line>`
      SELECT pg_get_indexdef(i.indexrelid) AS line FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = ${oid} AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND conrelid = ${oid})
      ORDER BY c.relname`
    const lines = [...columns, ...constraints].map(({ line }) => `  ${line}`).join(",\n")
    blocks.push([`${head} (\n${lines}\n);`, ...indexes.map(({ line }) => `${line};`)].join("\n"))
  }
  return `-- What the migrations make: written by test/migrate.test.ts, read by people. Never run.\n\n${blocks.join("\n\n")}\n`
})
