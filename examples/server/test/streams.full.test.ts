import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { callTool } from "../src/demo/mcp.ts"
import { eventually } from "./support/eventually.ts"
import { openStreams } from "./support/event-streams.ts"
import { postMessage } from "./support/mcp-request.ts"
import { makeSite } from "./support/site.ts"

/** As many as a credential may have. */
const sessionsEach = 200
const credentials = 25

describePostgres("5000 open streams", () => {
  test("are held beside everything else, hear what is theirs, and end in order with the server", { timeout: 240_000 }, async () => {
    const site = await makeSite({ databaseUrl: await Effect.runPromise(freshDatabase) })
    onTestFinished(site.close)
    await site.start()
    await site.call("users_create", { email: "ann@example.com" })
    const keys: Array<string> = []
    for (let n = 0; n < credentials; n++) keys.push((await site.call("keys_create", { name: `client ${n}` })).key)
    const url = `${site.base}/mcp`

    const { close, streams } = await openStreams(url, Array.from({ length: sessionsEach }, () => keys).flat(), 50)
    onTestFinished(close)
    expect(streams).toHaveLength(sessionsEach * credentials)
    expect(new Set(streams.map(({ session }) => session)).size).toBe(sessionsEach * credentials)
    for (const key of keys) await callTool(site.base, key, "projects_list", {})

    // One session of each credential has something to hear; its neighbours do not.
    const chosen = keys.map((key) => streams.find((stream) => stream.key === key)!)
    await Promise.all(chosen.map(async ({ key, session }) => {
      const headers = { "mcp-session-id": session }
      await (await postMessage(url, key, { method: "logging/setLevel", params: { level: "debug" } }, headers)).text()
      await (await postMessage(url, key, { method: "tools/call", params: { name: "hosts_list" } }, headers)).text()
    }))
    const hasHeard = ({ heard }: (typeof streams)[number]) => heard().includes("hosts_list")
    await eventually("those that are spoken to hear it", () => chosen.every(hasHeard))
    expect(streams.filter(hasHeard)).toHaveLength(credentials)

    site.server().process.kill("SIGTERM")
    const ended = await Promise.all(streams.map(({ ended }) => ended))
    expect(ended.filter((inOrder) => !inOrder)).toHaveLength(0)
    expect(await site.ended()).toBe(0)
  })
})
