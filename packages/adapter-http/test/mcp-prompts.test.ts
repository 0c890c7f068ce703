import { AskPerson, Conflict, CurrentPrincipal, defineTool, type Prompt } from "@coppice/core"
import { Effect, Schema } from "effect"
import { expect, it } from "vitest"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { headersOf, modern } from "./support/modern.ts"
import { type Answer, request, send } from "./support/rpc.ts"

const user = (text: string) => ({ role: "user", content: { type: "text", text } }) as const

const prompt = (name: string, get: Prompt<CurrentPrincipal>["get"], args: Prompt["arguments"] = []): Prompt<CurrentPrincipal> => ({
  name,
  title: `Title of ${name}`,
  description: `What ${name} is for.`,
  arguments: args,
  get
})

const prompts = [
  prompt("review", ({ branch, depth = "all" }) => Effect.succeed([user(`Review ${branch}, ${depth}.`)]), [
    { name: "branch", description: "The branch", required: true },
    { name: "depth", description: "How much", required: false }
  ]),
  prompt("whoami", () => Effect.map(CurrentPrincipal, ({ userId }) => [user(userId)])),
  prompt("busy", () => new Conflict({ message: "It is busy." })),
  prompt("broken", () => Effect.die(new Error("the password is hunter2"))),
  prompt("asks", () =>
    Effect.gen(function*() {
      const answer = yield* (yield* AskPerson)({ name: "tone", message: "Tone?", form: { type: "object", properties: {} } })
      return [user(answer?.action ?? "nobody")]
    }))
]

const picture = { type: "image", data: "AP8K", mimeType: "image/png" } as const

const tools = [
  defineTool({
    name: "pictures_draw",
    title: "Draw",
    description: "Draws.",
    effects: "reads",
    input: {},
    output: { width: Schema.Int },
    run: () => Effect.succeed({ width: 1 }),
    show: ({ width }) => width === 1 ? [picture] : []
  })
]

const ways = [
  ["2025-11-25", (method: string, params?: object) => [request(method, params), {}] as const],
  ["2026-07-28", (method: string, params?: Record<string, unknown>) => {
    const message = modern(method, params, { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } })
    return [message, headersOf(message)] as const
  }]
] as const

describeMatrix("MCP prompts", (context: () => MatrixContext) => {
  for (const [revision, messageOf] of ways) {
    const ask = async (method: string, params?: Record<string, unknown>, key?: string) => {
      const [message, headers] = messageOf(method, params)
      const response = await context().fetch("/mcp", send(key ?? (await context().addKey()).key, message, headers))
      return await response.json() as Answer
    }

    it(`are listed with their arguments under ${revision}`, async () => {
      const { result } = await ask("prompts/list")
      expect((result!["prompts"] as ReadonlyArray<object>)[0]).toEqual({
        name: "review",
        title: "Title of review",
        description: "What review is for.",
        arguments: [
          { name: "branch", description: "The branch", required: true },
          { name: "depth", description: "How much", required: false }
        ]
      })
    })

    it(`are got with what they are given, as who is calling, under ${revision}`, async () => {
      expect((await ask("prompts/get", { name: "review", arguments: { branch: "main" } })).result).toMatchObject({
        description: "What review is for.",
        messages: [user("Review main, all.")]
      })
      const { key, userId } = await context().addKey()
      expect((await ask("prompts/get", { name: "whoami" }, key)).result).toMatchObject({ messages: [user(userId)] })
    })

    it.each<[string, object, number]>([
      ["an unknown one", { name: "nope" }, -32602],
      ["one without what it needs", { name: "review", arguments: { depth: "all" } }, -32602],
      ["one that fails", { name: "busy" }, -32602],
      ["one that is broken", { name: "broken" }, -32603]
    ])(`answer under ${revision} for %s with an error, and nothing of what is the program's own`, async (_, params, code) => {
      const { error } = await ask("prompts/get", params as Record<string, unknown>)
      expect(error).toMatchObject({ code })
      expect(JSON.stringify(error)).not.toContain("hunter2")
    })

    it(`stand beside tools that show more than text under ${revision}`, async () => {
      expect((await ask("tools/call", { name: "pictures_draw", arguments: {} })).result).toMatchObject({
        content: [picture],
        structuredContent: { width: 1 }
      })
    })
  }

  it("may ask the person under 2026-07-28, by a name that stands for any call", async () => {
    const [, messageOf] = ways[1]
    const get = async (more: object) => {
      const [message, headers] = messageOf("prompts/get", { name: "asks", ...more })
      const { key } = await context().addKey()
      return (await (await context().fetch("/mcp", send(key, message, headers))).json() as Answer).result
    }
    expect(await get({})).toMatchObject({ resultType: "input_required", inputRequests: { tone: { params: { message: "Tone?" } } } })
    expect(await get({ inputResponses: { tone: { action: "decline" } } })).toMatchObject({ messages: [user("decline")] })
  })
}, { prompts, tools: tools as never })

describeMatrix("MCP without prompts", (context: () => MatrixContext) => {
  it("does not serve them", async () => {
    const { key } = await context().addKey()
    const answer = await (await context().fetch("/mcp", send(key, request("prompts/list")))).json() as Answer
    expect(answer.error!.code).toBe(-32601)
  })
})
