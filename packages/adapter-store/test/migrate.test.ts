import {
  AgentSessionStatus,
  AutomationStatus,
  ClientAuthMethod,
  FailureReason,
  GrantType,
  HostStatus,
  LogLevel,
  Role,
  RunEvent,
  RunStatus,
  TaskPriority,
  TaskStatusType,
  Trigger,
  WorkspaceMode,
  WorkspaceStatus
} from "@coppice/core"
import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { readFileSync, writeFileSync } from "node:fs"
import { checkDatabase, migrate, postgresLayer } from "../src/index.ts"
import { latestMigration } from "../src/migrate.ts"
import { migratedDatabase } from "./replica.ts"
import { schemaDump } from "./schema-dump.ts"

const client = (url: string) => postgresLayer({ url: Redacted.make(url) })
const dumpFile = new URL("../schema.sql", import.meta.url)

const literals = {
  agent_sessions_status: AgentSessionStatus.literals,
  agent_sessions_failure_reason: FailureReason.literals,
  automations_status: AutomationStatus.literals,
  automations_workspace_mode: WorkspaceMode.literals,
  hosts_status: HostStatus.literals,
  invitations_role: Role.literals,
  mcp_sessions_log_level: LogLevel.literals,
  members_role: Role.literals,
  oauth_clients_auth_method: ClientAuthMethod.literals,
  oauth_clients_grant_types: GrantType.literals,
  run_events_status: RunStatus.literals,
  run_events_stream: ["stdout", "stderr"],
  run_events_type: RunEvent.fields.type.literals,
  runs_failure_reason: FailureReason.literals,
  runs_status: RunStatus.literals,
  runs_trigger: Trigger.literals,
  task_statuses_type: TaskStatusType.literals,
  tasks_priority: TaskPriority.literals,
  workspaces_failure_reason: FailureReason.literals,
  workspaces_status: WorkspaceStatus.literals
}

describePostgres("the migrations", () => {
  it.live("are done once by five processes that start at the same time", () =>
    Effect.gen(function*() {
      const url = yield* freshDatabase
      yield* Effect.all(Array.from({ length: 5 }, () => migrate.pipe(Effect.provide(client(url)))), { concurrency: "unbounded" })
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        const rows = yield* sql`SELECT id FROM schema_migrations ORDER BY id`
        assert.deepStrictEqual(rows, Array.from({ length: latestMigration }, (_, place) => ({ id: place + 1 })))
        yield* migrate
        yield* checkDatabase()
      }).pipe(Effect.provide(client(url)))
    }))

  it.live("make the schema that schema.sql shows", () =>
    Effect.gen(function*() {
      const dump = yield* schemaDump.pipe(Effect.provide(client(yield* migratedDatabase)))
      if (process.env["COPPICE_WRITE_SCHEMA"] === "1") writeFileSync(dumpFile, dump)
      assert.strictEqual(dump, readFileSync(dumpFile, "utf8"), "schema.sql is out of date: COPPICE_WRITE_SCHEMA=1 writes it")
    }))

  it.live("admit the statuses, roles and reasons that core knows, and no others", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient
      for (const [constraint, expected] of Object.entries(literals)) {
        const [row] = yield* sql<{ readonly definition: string }>`
          SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = ${constraint}`
        const admitted = [...row!.definition.matchAll(/'(\w+)'::text/g)].map(([, literal]) => literal!)
        assert.deepStrictEqual(admitted.toSorted(), [...expected].toSorted(), constraint)
      }
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(migratedDatabase, client)))))

  it.live("are refused where a newer version was", () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        yield* sql`INSERT INTO schema_migrations (id, name) VALUES (999, 'of-the-future')`
        const refused = yield* Effect.flip(migrate)
        assert.match(refused.message, /migrated to 999 by a newer version/)
        assert.match((yield* Effect.flip(checkDatabase())).message, /999/)
      }).pipe(Effect.provide(client(url)))
    }))

  it.live("leave nothing behind when one fails", () =>
    Effect.gen(function*() {
      const url = yield* freshDatabase
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE runs (id integer)`
        assert.strictEqual((yield* Effect.exit(migrate))._tag, "Failure")
        const tables = yield* sql`SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
        assert.deepStrictEqual(tables, [{ relname: "runs" }])
      }).pipe(Effect.provide(client(url)))
    }))

  it.live("are told to be missing, and a silent server to be silent", () =>
    Effect.gen(function*() {
      const url = yield* freshDatabase
      yield* Effect.gen(function*() {
        assert.strictEqual((yield* Effect.flip(checkDatabase()))._tag, "DatabaseNotReady")
        yield* migrate
        const sql = yield* SqlClient
        yield* Effect.gen(function*() {
          yield* sql`LOCK TABLE schema_migrations`
          const late = yield* Effect.flip(Effect.provide(checkDatabase({ timeoutMillis: 100 }), client(url)))
          assert.match(late.message, /in time/)
        }).pipe(sql.withTransaction)
      }).pipe(Effect.provide(client(url)))
    }))
})
