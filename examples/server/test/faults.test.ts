import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { killPoints } from "./support/kill-points.ts"

// Each starts a server or two: seconds on a machine that has other things to do.
vi.setConfig({ testTimeout: 60_000 })

describePostgres("a server on PostgreSQL that is killed", () => {
  killPoints("most", async () => ({ databaseUrl: await Effect.runPromise(freshDatabase) }))
})
