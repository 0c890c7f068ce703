import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { agentAtWork, environmentOf, furnish, runOf, scratchForTest, serverForTest, typed } from "./service.ts"

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
}

const messagesOf = (text: string): ReadonlyArray<Message> =>
  [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as Message)

describePostgres("two replicas on one PostgreSQL server", () => {
  test("share the sessions of MCP clients, with all that is said in them", { timeout: 120_000 }, async () => {
    const databaseUrl = await Effect.runPromise(freshDatabase)
    const [first, second] = [await scratchForTest({}, { embedded: false }), await scratchForTest({}, { embedded: false })]
    const envOf = (scratch: typeof first) => ({ ...environmentOf(scratch), DATABASE_URL: databaseUrl })
    const automation = await furnish(envOf(first), first, "patient")
    const { key } = await typed<{ readonly key: string }>(envOf(first), "keys", "create", "--name", "client")
    const [one, two] = [await serverForTest(envOf(first)), await serverForTest(envOf(second))]

    const authorization = `Bearer ${key}`
    const post = (url: string, message: object, headers: Record<string, string> = {}) =>
      fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          authorization,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...message })
      })
    const begin = async (url: string, capabilities: object = {}) => {
      const clientInfo = { name: "test", version: "1" }
      const params = { protocolVersion: "2025-11-25", capabilities, clientInfo }
      const response = await post(url, { id: 0, method: "initialize", params })
      const { result } = await response.json() as Message
      expect(result!["instructions"]).toContain("Coppice")
      return { "mcp-session-id": response.headers.get("mcp-session-id")! }
    }
    const ping = async (url: string, session: Record<string, string>) =>
      (await post(url, { id: 1, method: "ping" }, session)).status

    // A session that one began is served by the other, and what the other serves in it is heard on the first.
    const session = await begin(one.url)
    expect(await ping(two.url, session)).toBe(200)
    const stream = await fetch(`${one.url}/mcp`, { headers: { authorization, accept: "text/event-stream", ...session } })
    expect(stream.status).toBe(200)
    const heard = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    await heard.read()
    await (await post(two.url, { id: 2, method: "logging/setLevel", params: { level: "debug" } }, session)).text()
    await (await post(two.url, { id: 3, method: "tools/call", params: { name: "hosts_list" } }, session)).text()
    expect(messagesOf((await heard.read()).value!)[0]).toMatchObject({
      method: "notifications/message",
      params: { level: "debug", data: { tool: "hosts_list", outcome: "answered" } }
    })

    // A run that is subscribed to on the one is heard of on the other, whichever of them runs it.
    const watched = await runOf(envOf(first), automation)
    const uri = `coppice://runs/${watched.id}`
    const subscribed = await post(two.url, { id: 4, method: "resources/subscribe", params: { uri } }, session)
    expect(await subscribed.json()).toMatchObject({ result: {} })
    const listen = {
      id: 5,
      method: "subscriptions/listen",
      params: {
        notifications: { resourceSubscriptions: [uri] },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {}
        }
      }
    }
    const listening = await post(two.url, listen, { "mcp-protocol-version": "2026-07-28", "mcp-method": listen.method })
    const listened = listening.body!.pipeThrough(new TextDecoderStream()).getReader()
    const updates = async (reader: typeof heard) => {
      while (true) {
        const messages = messagesOf((await reader.read()).value!)
        if (messages.some(({ method, params }) => method === "notifications/resources/updated" && params?.["uri"] === uri)) return
      }
    }
    await agentAtWork(first, "patient")
    await typed(envOf(first), "runs", "cancel", watched.id)
    await Promise.all([updates(heard), updates(listened)])
    await listened.cancel()

    // What waits on the one is stopped by a word to the other.
    const run = await runOf(envOf(first), automation)
    await agentAtWork(first, "patient")
    const params = { name: "runs_wait", arguments: { runId: run.id, timeoutSeconds: 50 }, _meta: { progressToken: "p" } }
    const waiting = await post(one.url, { id: "w", method: "tools/call", params }, session)
    expect(waiting.headers.get("content-type")).toBe("text/event-stream")
    await post(two.url, { method: "notifications/cancelled", params: { requestId: "w" } }, session)
    const said = messagesOf(await waiting.text())
    expect(said.map(({ method }) => method)).toContain("notifications/progress")
    expect(said.every(({ id }) => id === undefined)).toBe(true)

    // What a person is asked on the one may be answered on the other.
    const asking = await begin(one.url, { elicitation: {} })
    const call = (id: number, name: string, args: object) => ({ id, method: "tools/call", params: { name, arguments: args } })
    const created = await (await post(one.url, call(6, "tasks_create", { title: "Obsolete" }), asking)).json() as Message
    const { task } = created.result!["structuredContent"] as { readonly task: { readonly id: string } }
    const deleting = await post(one.url, call(7, "tasks_delete", { taskId: task.id }), asking)
    const deletion = deleting.body!.pipeThrough(new TextDecoderStream()).getReader()
    const [question] = messagesOf((await deletion.read()).value!)
    expect(question).toMatchObject({ method: "elicitation/create", params: { message: expect.stringContaining(task.id) } })
    const answered = await post(two.url, { id: question!.id, result: { action: "accept", content: {} } }, asking)
    expect(answered.status).toBe(202)
    expect(messagesOf((await deletion.read()).value!)[0]).toMatchObject({ id: 7, result: { structuredContent: expect.anything() } })
    const gone = await (await post(one.url, call(8, "tasks_get", { taskId: task.id }), asking)).json() as Message
    expect(gone.result).toMatchObject({ isError: true, structuredContent: { error: { code: "NOT_FOUND" } } })

    // A restart keeps a session; its end on one replica is its end on the other.
    const kept = await begin(one.url)
    await two.stop()
    const again = await serverForTest(envOf(second))
    expect(await ping(again.url, kept)).toBe(200)
    expect((await fetch(`${again.url}/mcp`, { method: "DELETE", headers: { authorization, ...session } })).status).toBe(200)
    while (!(await heard.read()).done) continue
    expect(await ping(one.url, session)).toBe(404)
    expect(await ping(one.url, kept)).toBe(200)

    // A revoked key is worth nothing on either, and its streams end.
    const open = await fetch(`${again.url}/mcp`, { headers: { authorization, accept: "text/event-stream", ...kept } })
    await typed(envOf(first), "keys", "revoke", "client")
    await open.text()
    expect([await ping(one.url, kept), await ping(again.url, kept)]).toEqual([401, 401])
  })
})
