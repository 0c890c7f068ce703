// The clients that people use, as they are published, against the real service.
import { toolCatalog } from "@coppice/core"
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { execFile } from "node:child_process"
import { describe, expect, onTestFinished, test } from "vitest"
import { environmentOf, scratchForTest, serverForTest, typed } from "./service.ts"
import { bareEnvironment, inspectorProgram, mcpRemoteProgram } from "./support/client-program.ts"

const toolNames = toolCatalog.map(({ name }) => name)
const info = { name: "test", version: "1" }
const paths = ["/mcp", "/api/v2/agent/mcp"]

/** The service with a project, and a key. */
const begin = async () => {
  const scratch = await scratchForTest()
  const env = environmentOf(scratch)
  const { url } = await serverForTest(env)
  await typed(env, "users", "create", "--email", "ann@example.com")
  await typed(env, "projects", "add", scratch.repository)
  const { key } = await typed<{ readonly key: string }>(env, "keys", "create", "--name", "client")
  return { key, url }
}

/** What every client can do: list, call, and read why a call failed. */
const expectService = async (client: Client) => {
  expect(client.getServerVersion()).toMatchObject({ name: "coppice", title: "Coppice" })
  expect(client.getInstructions()).toContain("Coppice")
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(toolNames)
  const listed = await client.callTool({ name: "projects_list" })
  expect(listed.structuredContent).toMatchObject({ projects: [{ name: "greeter" }] })
  const failed = await client.callTool({ name: "projects_get", arguments: { projectId: "nope" } })
  expect(failed).toMatchObject({ isError: true, structuredContent: { error: { code: "NOT_FOUND" } } })
  const refused = await client.callTool({ name: "projects_list", arguments: { limit: 0 } })
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: "INVALID_REQUEST" } } })
  await expect(client.callTool({ name: "nope" })).rejects.toThrow("Unknown tool: nope")
}

const connectOld = async (url: URL, key: string) => {
  const client = new Client(info)
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } })
  await client.connect(transport as Transport)
  return client
}

type Mode = "legacy" | "auto" | { readonly pin: string }

const connectNew = (mode: Mode, era: "legacy" | "modern") => async (url: URL, key: string) => {
  const client = new NewClient(info, { versionNegotiation: { mode } })
  await client.connect(new NewTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }))
  expect(client.getProtocolEra()).toBe(era)
  return client as unknown as Client
}

describe.each([
  ["SDK 1", connectOld],
  ["SDK 2 with sessions", connectNew("legacy", "legacy")],
  ["SDK 2 as it finds the service", connectNew("auto", "modern")],
  ["SDK 2 with 2026-07-28", connectNew({ pin: "2026-07-28" }, "modern")]
])("the client of %s", (_, connect) => {
  test("lists and calls on both paths, and is told when its key is none", async () => {
    const { key, url } = await begin()
    for (const path of paths) {
      const client = await connect(new URL(path, url), key)
      await expectService(client)
      await client.close()
    }
    await expect(connect(new URL("/mcp", url), `${key}x`)).rejects.toThrow(/401|unauthorized/i)
  })
})

describe("the inspector's command line", () => {
  /** Its exit code, and the document that it printed. */
  const inspect = (url: string, key: string, ...args: ReadonlyArray<string>) =>
    new Promise<{ readonly code: unknown; readonly document: Record<string, unknown> }>((resolve, reject) => {
      const header = `Authorization: Bearer ${key}`
      const all = [inspectorProgram, "--cli", `${url}/mcp`, "--transport", "http", "--header", header, ...args]
      execFile(process.execPath, all, { env: bareEnvironment(), timeout: 60_000 }, (error, stdout, stderr) => {
        try {
          resolve({ code: error === null ? 0 : error.code, document: JSON.parse(stdout || stderr) })
        } catch {
          reject(new Error(`The inspector said:\n${stdout}\n${stderr}`, { cause: error }))
        }
      })
    })

  test.each(["legacy", "modern"])("lists and calls in its %s era, and finds no fault with a schema", async (era) => {
    const { key, url } = await begin()
    const listed = await inspect(url, key, "--protocol-era", era, "--method", "tools/list", "--strict")
    expect(listed.code).toBe(0)
    expect((listed.document["tools"] as ReadonlyArray<{ name: string }>).map(({ name }) => name)).toEqual(toolNames)
    const call = (name: string, argument: string) =>
      inspect(url, key, "--protocol-era", era, "--method", "tools/call", "--tool-name", name, "--tool-arg", argument)
    expect(await call("projects_list", "limit=1")).toMatchObject({
      code: 0,
      document: { structuredContent: { projects: [{ name: "greeter" }] } }
    })
    expect((await call("projects_get", "projectId=nope")).document).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "NOT_FOUND" } }
    })
    expect((await inspect(url, `${key}x`, "--protocol-era", era, "--method", "tools/list")).document).toMatchObject({
      error: { code: "auth_required" }
    })
  })
})

test("mcp-remote bridges a client that speaks stdio alone", async () => {
  const { key, url } = await begin()
  const client = new Client(info)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mcpRemoteProgram, `${url}/mcp`, "--header", "Authorization:${AUTHORIZATION}"],
    env: { ...bareEnvironment(), AUTHORIZATION: `Bearer ${key}` },
    stderr: "ignore"
  })
  onTestFinished(() => client.close())
  await client.connect(transport)
  await expectService(client)
})
