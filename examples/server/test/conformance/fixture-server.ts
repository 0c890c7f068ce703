import { createHttpApp, type HttpPorts, passwordHasherLayer, serveHttp } from "@coppice/adapter-http"
import { ApiKeyId, generateSecret, hashSecret, MachineId, MemberId, newId, OrganizationId, UserId } from "@coppice/core"
import { ApiKeyStore } from "@coppice/core/ports"
import { fakeHostLayer } from "@coppice/testkit/fake"
import { MemoryDatabase, memoryStores } from "@coppice/testkit/memory"
import { DateTime, Effect, Layer, ManagedRuntime } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { prompts, resources, tools } from "./fixture-surface.ts"

/** A member's key. */
const addKey = Effect.gen(function*() {
  const at = yield* DateTime.now
  const times = { createdAt: at, updatedAt: at }
  const [organizationId, userId, id] = [yield* newId(OrganizationId), yield* newId(UserId), yield* newId(MemberId)]
  const member = { id, organizationId, userId, email: "ann@example.com", name: "Ann", role: "member", ...times } as const
  const { members } = yield* MemoryDatabase
  members.set(id, member)
  const key = yield* generateSecret("apiKey")
  const record = { id: yield* newId(ApiKeyId), organizationId, userId, name: "conformance", access: "full", ...times } as const
  yield* (yield* ApiKeyStore).create(record, hashSecret("apiKey", key)!)
  return key
})

/** The HTTP adapter as anybody can compose it, over stores in memory, with what the suite asks of a test server. */
export const startFixture = async () => {
  const host = fakeHostLayer({ machineId: MachineId.make("0199a000-0000-7000-8000-00000000c0de") })
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(memoryStores, host, passwordHasherLayer, layerWebCrypto).pipe(Layer.provideMerge(MemoryDatabase.layer))
  )
  const app = createHttpApp<HttpPorts>({ context: await runtime.context(), tools, resources, prompts, version: "1.0.0" })
  const server = await serveHttp(app, { host: "127.0.0.1", port: 0 })
  return {
    url: server.url,
    key: await runtime.runPromise(addKey),
    close: async () => {
      await server.close({ graceMillis: 0 })
      await runtime.dispose()
    }
  }
}
