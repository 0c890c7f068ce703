import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { killPoints } from "./support/kill-points.ts"

describePostgres("a server on PostgreSQL that is killed", () => {
  killPoints("all", async () => ({ databaseUrl: await Effect.runPromise(freshDatabase) }))
})

describe("a server on the embedded database that is killed", () => {
  killPoints("all", async () => ({}))
})
