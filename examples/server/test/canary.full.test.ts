// Every secret that there is, on every way that it goes, the wrong ways too: of none is there a trace in the log, in what
// is answered to a failure, in any row, or in any file. Only hashes are.
import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { filesUnder } from "./support/canaries.ts"
import { type Life, live } from "./support/canary-life.ts"
import { ask } from "./support/postgres-server.ts"

const expectNoTrace = ({ canaries, failures, log, site }: Life) => {
  expect(canaries.count()).toBeGreaterThan(25)
  expect(failures.length).toBeGreaterThan(60)
  expect(canaries.in(log()), "in the log").toEqual([])
  // From the hash of a password it can be guessed.
  expect(/\$(?:scrypt|argon2|pbkdf2)[^]{0,40}/.exec(log())?.[0], "in the log").toBeUndefined()
  for (const { text, what } of failures) expect(canaries.in(text), `answered with ${what}`).toEqual([])
  for (const { path, text } of filesUnder(site.scratch.home)) expect(canaries.in(text), `in ${path}`).toEqual([])
}

describePostgres("on a PostgreSQL server", () => {
  test("no secret is left anywhere, also when statements fail", { timeout: 120_000 }, async () => {
    const url = await Effect.runPromise(freshDatabase)
    const life = await live(url)
    const { canaries, failures, log, onceMore } = life
    const tables = (await ask<{ name: string }>(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")).map(({ name }) => name)
    expect(tables).toContain("refresh_tokens")
    const broken = () => failures.filter(({ what }) => what.startsWith("500 ")).length
    const asked = ["oauth_clients", "authorization_codes", "access_tokens", "refresh_tokens", "api_keys", "browser_sessions", "user_passwords", "invitations", "automations", "rate_windows"]
    for (const table of asked) {
      const before = broken()
      await ask(url, `ALTER TABLE ${table} RENAME TO away`)
      await onceMore()
      await ask(url, `ALTER TABLE away RENAME TO ${table}`)
      // A row that is refused stands in what the database says of that.
      await ask(url, `ALTER TABLE ${table} ADD CONSTRAINT refuses_all CHECK (false) NOT VALID`)
      await onceMore()
      await ask(url, `ALTER TABLE ${table} DROP CONSTRAINT refuses_all`)
      expect(broken(), `without ${table}`).toBeGreaterThan(before)
    }
    expect(log()).toContain("Unexpected failure")
    await life.end()
    expectNoTrace(life)
    for (const table of tables) {
      const rows = await ask<{ row: string }>(url, `SELECT t::text AS row FROM ${table} t`)
      expect(canaries.in(rows.map(({ row }) => row).join("\n")), `in ${table}`).toEqual([])
    }
    const [{ signing } = { signing: "" }] = await ask<{ signing: string }>(url, "SELECT private_jwk::json ->> 'd' AS signing FROM signing_keys LIMIT 1")
    canaries.keep("signing key", signing)
    expectNoTrace(life)
  })
})

describe("on the embedded database", () => {
  test("no secret is left anywhere, also not in its files", { timeout: 120_000 }, async () => {
    const life = await live(undefined)
    await life.onceMore()
    await life.end()
    expectNoTrace(life)
    await life.site.server().process.kill("SIGTERM")
    await life.site.ended()
    expectNoTrace(life)
  })
})
