// The server as it is started by `npm start`, in a scratch home, with an agent and a repository of its own.
import { postgresLayer, storeLayer } from "@coppice/adapter-store"
import type { Automation } from "@coppice/core"
import { HostStore, OrganizationStore, UserStore } from "@coppice/core/ports"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Child, startChild } from "./child.ts"
import { seedAutomations, seedProject, type Target } from "./seed.ts"

export interface FullServer extends Child {
  readonly home: string
  readonly targets: ReadonlyArray<Target>
  /** Runs an effect on the stores of the server's database. */
  readonly onStores: <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof storeLayer>>) => Promise<A>
}

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...args], { cwd, stdio: "ignore" })

const makeRepository = (folder: string): string => {
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", folder])
  writeFileSync(join(folder, "README.md"), "# Bench\n")
  git(folder, "add", ".")
  git(folder, "commit", "--quiet", "--message", "Start")
  return folder
}

/** Starts the server with one agent and as many automations as asked for. */
export const startFullServer = async (databaseUrl: string, options: {
  readonly agentScript: string
  readonly automations: number
  readonly maxConcurrentRuns: number
  readonly automation?: Partial<Automation>
}): Promise<FullServer> => {
  const home = mkdtempSync(join(tmpdir(), "coppice-bench-"))
  const repository = makeRepository(join(home, "repository"))
  const script = join(home, "agent.mjs")
  writeFileSync(script, options.agentScript)
  const config = join(home, "config.json")
  const agents = [{ id: "bench", name: "Bench", command: [process.execPath, script], prompt: "stdin" }]
  writeFileSync(config, JSON.stringify({ repositoryRoots: [home], maxConcurrentRuns: options.maxConcurrentRuns, agents }))

  const child = await startChild(new URL("../examples/server/dist/main.js", import.meta.url).pathname, {
    COPPICE_HOME: join(home, "home"),
    COPPICE_CONFIG: config,
    COPPICE_ADMIN_EMAIL: "bench@example.com",
    COPPICE_LOG: "json",
    DATABASE_URL: databaseUrl,
    PORT: "0"
  }, (line) => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0])

  const layer = storeLayer.pipe(Layer.provideMerge(postgresLayer({ url: Redacted.make(databaseUrl) })))
  const onStores: FullServer["onStores"] = (effect) => Effect.runPromise(Effect.scoped(Effect.provide(effect, layer)))
  const targets = await onStores(
    Effect.gen(function*() {
      const organization = (yield* (yield* OrganizationStore).organizations())[0]!
      const owner = (yield* (yield* UserStore).byEmail("bench@example.com"))!
      const host = (yield* (yield* HostStore).list(organization.id, {})).items[0]!
      const project = yield* seedProject(organization, host, repository)
      return yield* seedAutomations(project, owner, options.automations, options.automation)
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )
  return {
    ...child,
    home,
    targets,
    onStores,
    stop: async () => {
      await child.stop()
      rmSync(home, { recursive: true, force: true })
    }
  }
}
