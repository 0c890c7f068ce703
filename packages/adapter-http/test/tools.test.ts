import { createApiKey, CurrentPrincipal, foundOrganization, MachineId, registerHost, toolCatalog } from "@coppice/core"
import { FakeHost, fakeHostLayer } from "@coppice/testkit/fake"
import { memoryLayer } from "@coppice/testkit/memory"
import { verifies } from "@coppice/testkit/conformance"
import { furnishToolWorld, toolExamples, type ToolWorld } from "@coppice/testkit/tools"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { expect, it, onTestFinished } from "vitest"
import { createHttpApp, passwordHasherLayer, serveHttp } from "../src/index.ts"
import { type Answer, request, send } from "./support/rpc.ts"

const machineId = MachineId.make("0198c5a0-0000-7000-8000-000000000001")
const repositoryPath = "/code/shop"

/** The whole catalogue behind a socket, on memory and a fake host, and an owner's key. */
const serve = async () => {
  const runtime = ManagedRuntime.make(Layer.mergeAll(
    memoryLayer,
    fakeHostLayer({ machineId }),
    passwordHasherLayer,
    SecureRandom.layerWebCrypto
  ))
  onTestFinished(() => runtime.dispose())
  const app = createHttpApp({ context: await runtime.context(), tools: toolCatalog, version: "1" })
  const server = await serveHttp(app, { host: "127.0.0.1", port: 0 })
  onTestFinished(() => server.close({ graceMillis: 0 }))
  const { host, key, user } = await runtime.runPromise(Effect.gen(function*() {
    const fake = yield* FakeHost
    fake.addRepository(repositoryPath, { "README.md": "Shop\n" })
    fake.addRemote(repositoryPath, "origin")
    const { organization, user } = yield* foundOrganization({ organizationName: "Acme", email: "ann@example.com", name: "Ann" })
    const facts = { machineId, name: "fake host", platform: "linux-x64", agents: ["reviewer"], maxConcurrentRuns: 4 }
    const host = yield* registerHost(organization.id, facts)
    const owner = { organizationId: organization.id, userId: user.id, role: "owner" } as const
    const { secret } = yield* Effect.provideService(createApiKey({ name: "key" }), CurrentPrincipal, owner)
    return { host, user, key: secret }
  }))
  const ask = async (method: string, params?: object) => {
    const response = await fetch(`${server.url}/mcp`, send(key, request(method, params)))
    const { result } = await response.json() as Answer
    expect([response.status, result], method).toEqual([200, expect.anything()])
    return result!
  }
  const call = (name: string, args: unknown) => ask("tools/call", { name, ...(args === undefined ? {} : { arguments: args }) })
  const made = (name: string, args: object) => Effect.promise(async () => (await call(name, args))["structuredContent"] as never)
  const world = async (): Promise<ToolWorld> => {
    const { project } = await Effect.runPromise(made("projects_create", { repositoryPath })) as { project: { id: string } }
    return { host, user, project, repositoryPath, ...await Effect.runPromise(furnishToolWorld(made)) }
  }
  return { ask, call, world }
}

const validator = new AjvJsonSchemaValidator()

it.each(toolCatalog.map(({ name }) => name))("%s keeps to the output schema that tools/list shows, when it fails too", async (name) => {
  const { ask, call, world } = await serve()
  const furnished = await world()
  const { tools } = await ask("tools/list") as { tools: ReadonlyArray<{ name: string; outputSchema: object }> }
  const { outputSchema } = tools.find((tool) => tool.name === name)!
  const fault = validator.getValidator(outputSchema as never)
  const told = async (args: unknown) => {
    const { isError = false, structuredContent } = await call(name, args)
    expect([args, structuredContent, fault(structuredContent).errorMessage]).toEqual([args, structuredContent, undefined])
    return isError
  }
  for (const args of toolExamples[name]!.good(furnished)) expect(await told(args)).toBe(false)
  // What is no object is no call: JSON-RPC says so, and the tool does not hear of it.
  const bad = toolExamples[name]!.bad.filter((args) => args?.constructor === Object)
  for (const args of [...bad, { surplus: 1 }]) expect(await told(args)).toBe(true)
  // The schema admits one or the other, and nothing else.
  expect(fault({}).valid).toBe(false)
  expect(fault({ error: {} }).valid).toBe(false)
})

const covered = {
  hosts: ["list"],
  organization_members: ["list"],
  projects: ["list", "get", "create", "update", "delete"],
  workspaces: ["list", "get", "create", "update", "diff", "push", "delete"],
  automations: ["list", "get", "create", "update", "pause", "resume", "delete", "run"]
}

it(verifies("mcp.tools-hosts", "mcp.tools-members", "mcp.tools-projects", "mcp.tools-workspaces", "mcp.tools-automations") +
  "there is a tool for all that can be done with each noun", async () => {
  const { ask } = await serve()
  const { tools } = await ask("tools/list") as { tools: ReadonlyArray<{ name: string }> }
  const names = tools.map(({ name }) => name)
  for (const [noun, verbs] of Object.entries(covered)) {
    expect(names.filter((name) => name.replace(/_[a-z]+$/, "") === noun)).toEqual(verbs.map((verb) => `${noun}_${verb}`))
  }
})
