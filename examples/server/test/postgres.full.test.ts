import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Answers } from "../src/cli/answers.ts"
import { coppice } from "../src/demo/child.ts"
import { environmentOf, furnish, runOf, scratchForTest, serverForTest, typed } from "./service.ts"

describePostgres("on a PostgreSQL server", () => {
  test("the service and its commands work as on the embedded database", { timeout: 90_000 }, async () => {
    const scratch = await scratchForTest({}, { embedded: false })
    const env = { ...environmentOf(scratch), DATABASE_URL: await Effect.runPromise(freshDatabase) }
    const automation = await furnish(env, scratch, "scribe")
    const server = await serverForTest(env)
    const run = await runOf(env, automation, `{"file":"a.txt","content":"x"}`)
    expect((await coppice(env, ["runs", "logs", run.id, "--follow"])).stdout).toMatch(/\[succeeded\]\n$/)
    expect((await coppice(env, ["doctor"])).stdout).toMatch(/^database +ok +PostgreSQL$/m)
    expect(await server.stop()).toBe(0)
    expect((await typed<Answers["runs_get"]>(env, "runs", "show", run.id)).run.status).toBe("succeeded")
    expect(existsSync(join(scratch.home, "database"))).toBe(false)
  })
})
