import { verifies } from "@coppice/testkit/conformance"
import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { callTool } from "../src/demo/mcp.ts"
import { environmentOf, scratchForTest, serverForTest, typed } from "./service.ts"
import { postMessage } from "./support/mcp-request.ts"
import { ask } from "./support/postgres-server.ts"

const preload = `--import ${fileURLToPath(new URL("fixtures/shifted-clock.ts", import.meta.url))}`
const paths = ["/mcp", "/api/v2/agent/mcp"]

const whole = (response: Response, field: string): number => {
  const value = response.headers.get(field)
  expect(value, field).toMatch(/^\d+$/)
  return Number(value)
}

describePostgres("two replicas on one PostgreSQL server", () => {
  /** Two of them, each with its clock off by so many seconds, and a key. */
  const begin = async (shifts: ReadonlyArray<number>) => {
    const databaseUrl = await Effect.runPromise(freshDatabase)
    const replicas: Array<string> = []
    let key: string | undefined
    for (const seconds of shifts) {
      const env = {
        ...environmentOf(await scratchForTest({}, { embedded: false })),
        DATABASE_URL: databaseUrl,
        ...(seconds === 0 ? {} : { NODE_OPTIONS: preload, CLOCK_SHIFT_MILLIS: String(seconds * 1000) })
      }
      replicas.push((await serverForTest(env)).url)
      if (key !== undefined) continue
      await typed(env, "users", "create", "--email", "ann@example.com")
      key = (await typed<{ readonly key: string }>(env, "keys", "create", "--name", "client")).key
    }
    return { databaseUrl, key: key!, replicas }
  }

  test.each([
    ["with true clocks", 0, 0],
    ["with clocks a minute apart", -30, 30]
  ])(
    verifies("limit.mcp-600-per-60-seconds", "limit.headers-on-429", "limit.retry-after-on-429") +
      "let exactly 600 of 1400 requests at once pass, %s",
    { timeout: 120_000 },
    async (_, ...shifts) => {
      const { databaseUrl, key, replicas } = await begin(shifts)
      for (const [index, url] of replicas.entries()) {
        const { task } = await callTool(url, key, "tasks_create" as never, { title: "What time is it?" }) as {
          readonly task: { readonly createdAt: string }
        }
        const seconds = (Date.parse(task.createdAt) - Date.now()) / 1000
        expect(Math.abs(seconds - shifts[index]!)).toBeLessThan(10)
      }
      // A full window is ahead, whatever was counted until now.
      await ask(databaseUrl, "DELETE FROM rate_windows")
      const responses = await Promise.all(replicas.flatMap((url) =>
        Array.from({ length: 700 }, (_, index) => postMessage(url + paths[index % 2], key, { method: "ping" }))))

      const passed = responses.filter(({ status }) => status === 200)
      const limited = responses.filter(({ status }) => status === 429)
      expect([passed.length, limited.length]).toEqual([600, 800])
      for (const response of responses) {
        expect(whole(response, "ratelimit-limit")).toBe(600)
        expect(response.headers.get("ratelimit-policy")).toBe("600;w=60")
        const reset = whole(response, "ratelimit-reset")
        expect(reset).toBeGreaterThanOrEqual(1)
        expect(reset).toBeLessThanOrEqual(60)
      }
      // Each of the places in the window was given away once.
      expect(passed.map((response) => whole(response, "ratelimit-remaining")).toSorted((a, b) => a - b))
        .toEqual(Array.from({ length: 600 }, (_, index) => index))
      for (const response of limited) {
        expect(whole(response, "ratelimit-remaining")).toBe(0)
        expect(whole(response, "retry-after")).toBe(whole(response, "ratelimit-reset"))
        expect(await response.json()).toMatchObject({ error: { code: "RATE_LIMITED", hint: expect.any(String) } })
      }

      // The window closes for both, and the next request opens the next one.
      await ask(databaseUrl, "UPDATE rate_windows SET opened_at = opened_at - interval '1 minute', ends_at = ends_at - interval '1 minute'")
      const [first, second] = [await postMessage(replicas[0] + "/mcp", key, { method: "ping" }), await postMessage(replicas[1] + "/mcp", key, { method: "ping" })]
      expect([first.status, second.status]).toEqual([200, 200])
      expect([whole(first, "ratelimit-remaining"), whole(second, "ratelimit-remaining")]).toEqual([599, 598])
    }
  )
})
