import { expect, onTestFinished, test } from "vitest"
import { environmentOf, scratchForTest, serverForTest, typed } from "../service.ts"
import { startFixture } from "./fixture-server.ts"
import { runSuite } from "./run-suite.ts"

const revisions = ["2025-11-25", "2026-07-28"]

const passed = { code: 0, output: "" }

// A file lists what the suite may find wanting, and why. A failure that it does not list is one here, and so is one that it
// lists and that is gone.

test.each(revisions)("the official conformance suite finds what %s requires of the service", async (revision) => {
  const scratch = await scratchForTest()
  const env = environmentOf(scratch)
  const { url } = await serverForTest(env)
  await typed(env, "users", "create", "--email", "ann@example.com")
  const { key } = await typed<{ readonly key: string }>(env, "keys", "create", "--name", "conformance")
  expect(await runSuite({ url, key }, revision, `${revision}.yml`)).toEqual(passed)
})

test.each(revisions)("and of the adapter, with the tools, resources and prompts of the suite's own: %s", async (revision) => {
  const fixture = await startFixture()
  onTestFinished(fixture.close)
  expect(await runSuite(fixture, revision, `fixture-${revision}.yml`)).toEqual(passed)
})
