import { AskPerson, CurrentPrincipal, defineTool } from "@coppice/core"
import { Effect, Schema } from "effect"
import { expect, it, onTestFinished } from "vitest"
import { readEvents } from "./support/events.ts"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { headersOf, modern } from "./support/modern.ts"
import { type Answer, messagesOf, request, send } from "./support/rpc.ts"
import { testTool } from "./support/service.ts"

/** What was erased, by whom. */
const erased: Array<string> = []

const erase = defineTool({
  name: "things_erase",
  title: "Erase a thing",
  description: "Erases it.",
  effects: "destroys",
  input: { thingId: Schema.String },
  output: { erased: Schema.String },
  run: ({ thingId }) =>
    Effect.map(CurrentPrincipal, ({ userId }) => {
      erased.push(`${userId} ${thingId}`)
      return { erased: thingId }
    })
})

/** Asks for two things, one after the other, as a tool of an embedder's may. */
const survey = testTool("survey", () =>
  Effect.gen(function*() {
    const ask = yield* AskPerson
    const form = (field: string) => ({ type: "object", properties: { [field]: { type: "string" } }, required: [field] }) as const
    const name = yield* ask({ message: "Name?", form: form("name") })
    const color = yield* ask({ message: "Color?", form: form("color") })
    return { name, color }
  }))

const tools = [erase as never, survey]

interface Message extends Answer {
  readonly method?: string
  readonly params?: { readonly message: string; readonly mode?: string; readonly requestedSchema: object }
}

const eraseCall = (thingId: string, id: string | number = 1) =>
  request("tools/call", { name: "things_erase", arguments: { thingId } }, id)

let unique = 0
const thing = () => `thing${unique++}`

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

interface Required {
  readonly resultType?: string
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params: { readonly message: string } } }
  readonly requestState?: string
  readonly structuredContent?: object
}

describeMatrix("questions under 2026-07-28", (context: () => MatrixContext) => {
  const capable = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } }
  const person = async () => {
    const { key, userId } = await context().addKey()
    const call = async (params: Record<string, unknown>, { fields = capable as object, accept = "" } = {}) => {
      const message = modern("tools/call", params, fields)
      const headers = { ...headersOf(message), ...(accept === "" ? {} : { accept }) }
      return (await (await context().fetch("/mcp", send(key, message, headers))).json() as Answer).result as Required
    }
    const erase = (thingId: string, more: object = {}, options?: Parameters<typeof call>[1]) =>
      call({ name: "things_erase", arguments: { thingId }, ...more }, options)
    return { call, erase, did: (thingId: string) => erased.includes(`${userId} ${thingId}`) }
  }
  const keyOf = ({ inputRequests }: Required) => Object.keys(inputRequests!)[0]!
  const yes = { action: "accept", content: {} }

  it.each(["application/json, text/event-stream", "application/json"])("end the call to Accept %s, which is made again with the answer", async (accept) => {
    const { did, erase } = await person()
    const thingId = thing()
    const asked = await erase(thingId, {}, { accept })
    expect(asked).toEqual({
      resultType: "input_required",
      inputRequests: {
        [keyOf(asked)]: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: expect.stringContaining(`Erase a thing? Erases it.\nthingId: "${thingId}"`),
            requestedSchema: { type: "object", properties: {} }
          }
        }
      },
      _meta: expect.anything()
    })
    expect(did(thingId)).toBe(false)
    const done = await erase(thingId, { inputResponses: { [keyOf(asked)]: yes } })
    expect(done).toMatchObject({ resultType: "complete", structuredContent: { erased: thingId } })
    expect(did(thingId)).toBe(true)
  })

  it.each(["decline", "cancel"])("end the call with nothing done when the person answers %s", async (action) => {
    const { did, erase } = await person()
    const thingId = thing()
    const key = keyOf(await erase(thingId))
    expect(await erase(thingId, { inputResponses: { [key]: { action } } })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "FORBIDDEN" } }
    })
    expect(did(thingId)).toBe(false)
  })

  it("take an answer for the very call, of the very caller, and for nothing else", async () => {
    const [ann, bob] = [await person(), await person()]
    const [mine, other] = [thing(), thing()]
    const answered = { inputResponses: { [keyOf(await ann.erase(mine))]: yes } }
    expect(await ann.erase(other, answered)).toMatchObject({ resultType: "input_required" })
    expect(await bob.erase(mine, answered)).toMatchObject({ resultType: "input_required" })
    expect(await ann.erase(mine, { inputResponses: { confirm: yes } })).toMatchObject({ resultType: "input_required" })
    expect(await ann.erase(mine, { inputResponses: { [Object.keys(answered.inputResponses)[0]!]: "yes" } }))
      .toMatchObject({ resultType: "input_required" })
    expect([ann.did(mine), ann.did(other), bob.did(mine)]).toEqual([false, false, false])
  })

  it("go on from the answers of earlier rounds, and start over from a state that is none", async () => {
    const { call } = await person()
    const survey = (more: object = {}) => call({ name: "survey", arguments: {}, ...more })
    const first = await survey()
    expect(first).not.toHaveProperty("requestState")
    const name = { action: "accept", content: { name: "Ann" } }
    const second = await survey({ inputResponses: { [keyOf(first)]: name } })
    expect(Object.values(second.inputRequests!)[0]!.params.message).toBe("Color?")
    const answered = { inputResponses: { [keyOf(second)]: { action: "decline" } } }
    expect(await survey({ ...answered, requestState: second.requestState })).toMatchObject({
      structuredContent: { name, color: { action: "decline" } }
    })
    for (const requestState of [undefined, "nonsense", Buffer.from("[1]").toString("base64url")]) {
      const again = await survey({ ...answered, ...(requestState === undefined ? {} : { requestState }) })
      expect(Object.values(again.inputRequests!)[0]!.params.message).toBe("Name?")
    }
  })

  it.each<[string, object]>([
    ["cannot ask", {}],
    ["can only open addresses", { "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {} } } }]
  ])("are not put to a client that %s: it goes by the tool's annotations", async (_, fields) => {
    const { erase } = await person()
    const thingId = thing()
    expect(await erase(thingId, {}, { fields })).toMatchObject({ structuredContent: { erased: thingId } })
  })
}, { tools })
