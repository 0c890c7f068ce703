import { expect, it, onTestFinished } from "vitest"
import { askingTools as tools, erased, thing } from "./support/asking-tools.ts"
import { readEvents } from "./support/events.ts"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { type Answer, messagesOf, request, send } from "./support/rpc.ts"

interface Message extends Answer {
  readonly method?: string
  readonly params?: { readonly message: string; readonly mode?: string; readonly requestedSchema: object }
}

const eraseCall = (thingId: string, id: string | number = 1) =>
  request("tools/call", { name: "things_erase", arguments: { thingId } }, id)

describeMatrix("questions in a session", (context: () => MatrixContext) => {
  const post = (key: string, message: unknown, headers?: Record<string, string>) =>
    context().fetch("/mcp", send(key, message, headers))
  const begin = async (capabilities: object = { elicitation: {} }, protocolVersion = "2025-11-25") => {
    const { key, userId } = await context().addKey()
    const clientInfo = { name: "test", version: "1" }
    const response = await post(key, request("initialize", { protocolVersion, capabilities, clientInfo }))
    await response.text()
    const session = { "mcp-session-id": response.headers.get("mcp-session-id")! }
    return {
      key,
      session,
      did: (thingId: string) => erased.includes(`${userId} ${thingId}`),
      say: (message: unknown, headers: Record<string, string> = {}) => post(key, message, { ...session, ...headers })
    }
  }
  /** Calls the tool, and waits for the question. */
  const asked = async ({ say }: Awaited<ReturnType<typeof begin>>, message: object) => {
    const response = await say(message)
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    const events = readEvents(response)
    onTestFinished(() => events.close())
    const next = async () => {
      const event = await events.next()
      return event === undefined ? undefined : messagesOf(event)[0] as Message
    }
    return { next, question: (await next())! }
  }
  const answer = (id: unknown, result: object) => ({ jsonrpc: "2.0", id, result })

  it("are put on the stream of the call, and the answer lets it go on", async () => {
    const client = await begin()
    const thingId = thing()
    const { next, question } = await asked(client, eraseCall(thingId))
    expect(question).toMatchObject({
      jsonrpc: "2.0",
      id: expect.any(String),
      method: "elicitation/create",
      params: {
        mode: "form",
        message: expect.stringContaining(`Erase a thing? Erases it.\nthingId: "${thingId}"`),
        requestedSchema: { type: "object", properties: {} }
      }
    })
    expect(client.did(thingId)).toBe(false)
    const answered = await client.say(answer(question.id, { action: "accept", content: {} }))
    expect([answered.status, await answered.text()]).toEqual([202, ""])
    expect(await next()).toMatchObject({ id: 1, result: { structuredContent: { erased: thingId } } })
    expect(await next()).toBeUndefined()
    expect(client.did(thingId)).toBe(true)
    expect(context().database.mcpQuestions.get(client.session["mcp-session-id"] as never)?.size).toBe(0)
  })

  it.each<[string, object]>([
    ["a refusal", { result: { action: "decline" } }],
    ["a dismissal", { result: { action: "cancel" } }],
    ["an error", { error: { code: -1, message: "Rejected" } }],
    ["nonsense", { result: { action: "maybe" } }]
  ])("end the call with nothing done after %s", async (_, response) => {
    const client = await begin()
    const thingId = thing()
    const { next, question } = await asked(client, eraseCall(thingId))
    await client.say({ jsonrpc: "2.0", id: question.id, ...response })
    expect(await next()).toMatchObject({
      id: 1,
      result: { isError: true, structuredContent: { error: { code: "FORBIDDEN", message: expect.stringContaining("Nothing was done") } } }
    })
    expect(client.did(thingId)).toBe(false)
  })

  it("take no answer but the asked session's, and the first", async () => {
    const [client, other] = [await begin(), await begin()]
    const [first, second] = [thing(), thing()]
    const one = await asked(client, eraseCall(first, 1))
    const two = await asked(client, eraseCall(second, 2))
    const yes = { action: "accept", content: {} }
    await other.say(answer(one.question.id, yes))
    await post(client.key, answer(one.question.id, yes))
    await client.say(answer("nobody asked", yes))
    await client.say({ jsonrpc: "2.0", result: yes })
    await client.say(answer(one.question.id, { action: "decline" }))
    await client.say(answer(one.question.id, yes))
    await client.say(answer(two.question.id, yes))
    expect((await one.next())!.result).toMatchObject({ isError: true })
    expect((await two.next())!.result).toMatchObject({ structuredContent: { erased: second } })
    expect([client.did(first), client.did(second)]).toEqual([false, true])
  })

  it.each<[string, object, string, Record<string, string>]>([
    ["cannot ask", {}, "2025-11-25", {}],
    ["can only open addresses", { elicitation: { url: {} } }, "2025-11-25", {}],
    ["speaks a revision without questions", { elicitation: {} }, "2025-03-26", {}],
    ["takes JSON alone", { elicitation: {} }, "2025-11-25", { accept: "application/json" }]
  ])("are not put to a client that %s: it goes by the tool's annotations", async (_, capabilities, version, headers) => {
    const client = await begin(capabilities, version)
    const thingId = thing()
    const response = await client.say(eraseCall(thingId), headers)
    expect(await response.json()).toMatchObject({ result: { structuredContent: { erased: thingId } } })
  })

  it("are not put outside a session", async () => {
    const { key } = await begin()
    const thingId = thing()
    expect(await (await post(key, eraseCall(thingId))).json()).toMatchObject({ result: { structuredContent: { erased: thingId } } })
  })

  it("go without the word for their kind where the revision has none", async () => {
    const client = await begin({ elicitation: {} }, "2025-06-18")
    const { question } = await asked(client, eraseCall(thing()))
    expect(question.params).not.toHaveProperty("mode")
  })

  it("end with the call that asks, or with the session", async () => {
    const client = await begin()
    const [first, second] = [thing(), thing()]
    const one = await asked(client, eraseCall(first, "one"))
    const two = await asked(client, eraseCall(second, "two"))
    await client.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "one" } })
    expect(await one.next()).toBeUndefined()
    await client.say(answer(one.question.id, { action: "accept", content: {} }))
    await context().fetch("/mcp", { method: "DELETE", headers: { authorization: `Bearer ${client.key}`, ...client.session } })
    expect((await two.next())!.result).toMatchObject({ isError: true })
    expect([client.did(first), client.did(second)]).toEqual([false, false])
  })

  it("may be several, one after the other", async () => {
    const client = await begin()
    const { next, question } = await asked(client, request("tools/call", { name: "survey", arguments: {} }, 7))
    await client.say(answer(question.id, { action: "accept", content: { name: "Ann" } }))
    const second = (await next())!
    await client.say(answer(second.id, { action: "decline" }))
    expect((await next())!.result).toMatchObject({
      structuredContent: { name: { action: "accept", content: { name: "Ann" } }, color: { action: "decline" } }
    })
  })
}, { tools })
