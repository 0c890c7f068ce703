import { Conflict, CurrentPrincipal, notFound, type Resource, resourceCatalog } from "@coppice/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { headersOf, modern } from "./support/modern.ts"
import { type Answer, request, send } from "./support/rpc.ts"

const resource = (uri: string, read: Resource<CurrentPrincipal>["read"], more: Partial<Resource<CurrentPrincipal>> = {}) => ({
  uri,
  name: uri,
  title: `Title of ${uri}`,
  description: `What is at ${uri}.`,
  mimeType: "text/plain",
  read,
  ...more
})

const ids = Array.from({ length: 120 }, (_, place) => `n${place}`)

const resources: ReadonlyArray<Resource<CurrentPrincipal>> = [
  resource("test://whoami", () => Effect.map(CurrentPrincipal, ({ userId }) => userId)),
  resource("test://picture", () => Effect.succeed(Uint8Array.of(0, 255, 10)), { mimeType: "image/png" }),
  resource("test://things/{id}", ({ id }) => id!.startsWith("n") ? Effect.succeed(`thing ${id}`) : notFound("thing", id!), {
    list: ({ cursor = "0", limit = 50 }) => {
      const items = ids.slice(Number(cursor), Number(cursor) + limit).map((id) => ({ uri: `test://things/${id}`, name: id }))
      const next = Number(cursor) + items.length
      return Effect.succeed(next < ids.length ? { items, nextCursor: String(next) } : { items })
    }
  }),
  resource("test://busy", () => new Conflict({ message: "It is busy.", hint: "Wait." })),
  resource("test://broken", () => Effect.die(new Error("the password is hunter2")))
]

interface Found extends Answer {
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

const ways = [
  ["2025-11-25", (method: string, params?: object) => [request(method, params), {}] as const, -32002],
  ["2026-07-28", (method: string, params?: Record<string, unknown>) => {
    const message = modern(method, params)
    return [message, headersOf(message)] as const
  }, -32602]
] as const

describeMatrix("MCP resources", (context: () => MatrixContext) => {
  for (const [revision, messageOf, notFoundCode] of ways) {
    const ask = async (method: string, params?: Record<string, unknown>, key?: string) => {
      const [message, headers] = messageOf(method, params)
      const response = await context().fetch("/mcp", send(key ?? (await context().addKey()).key, message, headers))
      return await response.json() as Found
    }

    it(`are listed page by page under ${revision}`, async () => {
      const seen: Array<{ readonly uri: string }> = []
      let cursor: string | undefined
      const sizes: Array<number> = []
      do {
        const { result } = await ask("resources/list", cursor === undefined ? {} : { cursor })
        const page = result!["resources"] as typeof seen
        seen.push(...page)
        sizes.push(page.length)
        cursor = result!["nextCursor"] as string | undefined
      } while (cursor !== undefined)
      const fixed = ["test://whoami", "test://picture"]
      expect(seen.map(({ uri }) => uri)).toEqual([
        ...fixed,
        ...ids.map((id) => `test://things/${id}`),
        "test://busy",
        "test://broken"
      ])
      expect(sizes).toEqual([50, 50, 24])
      expect(seen[1]).toEqual({
        uri: "test://picture",
        name: "test://picture",
        title: "Title of test://picture",
        description: "What is at test://picture.",
        mimeType: "image/png"
      })
      expect((await ask("resources/list", { cursor: "nonsense" })).error).toMatchObject({ code: -32602 })
    })

    it(`have their templates listed under ${revision}`, async () => {
      const { result } = await ask("resources/templates/list")
      expect(result!["resourceTemplates"]).toEqual([{
        uriTemplate: "test://things/{id}",
        name: "test://things/{id}",
        title: "Title of test://things/{id}",
        description: "What is at test://things/{id}.",
        mimeType: "text/plain"
      }])
    })

    it(`are read as who is calling, as text or as bytes, under ${revision}`, async () => {
      const { key, userId } = await context().addKey()
      expect((await ask("resources/read", { uri: "test://whoami" }, key)).result!["contents"]).toEqual([
        { uri: "test://whoami", mimeType: "text/plain", text: userId }
      ])
      expect((await ask("resources/read", { uri: "test://picture" })).result!["contents"]).toEqual([
        { uri: "test://picture", mimeType: "image/png", blob: "AP8K" }
      ])
      expect((await ask("resources/read", { uri: "test://things/n7" })).result!["contents"]).toEqual([
        { uri: "test://things/n7", mimeType: "text/plain", text: "thing n7" }
      ])
    })

    it.each(["test://things/other", "test://nothing", "nonsense"])(`say under ${revision} that %s is not found`, async (uri) => {
      const { error } = await ask("resources/read", { uri })
      expect(error).toEqual({ code: notFoundCode, message: expect.stringContaining(uri), data: { uri } })
    })

    it(`say under ${revision} why else they cannot be read, and nothing of what is the program's own`, async () => {
      expect((await ask("resources/read", { uri: "test://busy" })).error).toEqual({
        code: -32602,
        message: "It is busy.",
        data: { code: "CONFLICT", hint: "Wait." }
      })
      const { error } = await ask("resources/read", { uri: "test://broken" })
      expect(error).toMatchObject({ code: -32603, data: { code: "INTERNAL" } })
      expect(JSON.stringify(error)).not.toContain("hunter2")
      expect(context().logs.some((log) => JSON.stringify(log).includes("hunter2"))).toBe(true)
    })
  }

  it("must be named by an address", async () => {
    const { key } = await context().addKey()
    const answer = await (await context().fetch("/mcp", send(key, request("resources/read", {})))).json() as Found
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining("uri") })
  })
}, { resources })

describeMatrix("MCP without resources", (context: () => MatrixContext) => {
  it("does not say that there are any, nor serve them", async () => {
    const { key } = await context().addKey()
    const answer = await (await context().fetch("/mcp", send(key, request("resources/list")))).json() as Answer
    expect(answer.error!.code).toBe(-32601)
  })
})

describeMatrix("the service's own resources", (context: () => MatrixContext) => {
  it("are in the guide, each by its address", async () => {
    const text = await (await context().fetch("/docs.md")).text()
    for (const { uri } of resourceCatalog) expect(text).toContain(`| \`${uri}\` |`)
  })
}, { resources: resourceCatalog as never })
