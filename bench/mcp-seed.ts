import { migrate, postgresLayer, storeLayer } from "@coppice/adapter-store"
import { createApiKey, CurrentPrincipal, foundOrganization, type MachineFacts, MachineId, newId, registerHost } from "@coppice/core"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { seedProject } from "./seed.ts"

/** An organization with a project, and as many API keys of its owner as asked for. */
export const seedKeys = (url: string, count: number): Promise<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    yield* migrate
    const { organization, user } = yield* foundOrganization({ organizationName: "Bench", email: "bench@example.com", name: "Bench" })
    const facts: MachineFacts = { machineId: yield* newId(MachineId), name: "bench", platform: "bench", agents: [], maxConcurrentRuns: 1 }
    yield* seedProject(organization, yield* registerHost(organization.id, facts), "/nowhere")
    const owner = { organizationId: organization.id, userId: user.id, role: "owner" } as const
    const keys = yield* Effect.forEach(Array.from({ length: count }), (_, n) => createApiKey({ name: `bench ${n}` }))
      .pipe(Effect.provideService(CurrentPrincipal, owner))
    return keys.map(({ secret }) => secret)
  }).pipe(
    Effect.provide(storeLayer.pipe(Layer.provideMerge(postgresLayer({ url: Redacted.make(url) })))),
    Effect.provide(SecureRandom.layerWebCrypto),
    Effect.scoped,
    Effect.runPromise
  )
