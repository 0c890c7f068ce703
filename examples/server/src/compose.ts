import { localHostLayer } from "@coppice/adapter-git"
import { passwordHasherLayer } from "@coppice/adapter-http"
import {
  embeddedLayer,
  type EmbeddedUnavailable,
  migrate,
  postgresLayer,
  type PostgresUnavailable,
  storeLayer
} from "@coppice/adapter-store"
import { AutomationDefaults } from "@coppice/core"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Config } from "./config/config.ts"
import { requireGit } from "./home/git-version.ts"
import { lockHome } from "./home/home-lock.ts"
import { machineOf, makeHome } from "./home/machine.ts"
import { Installation } from "./installation.ts"
import { npmPathEntries } from "./npm-path.ts"

const clone = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "")

const databaseLayer = (
  { databaseUrl, home }: Config
): Layer.Layer<Layer.Success<ReturnType<typeof postgresLayer>>, EmbeddedUnavailable | PostgresUnavailable> =>
  databaseUrl === undefined
    ? embeddedLayer({ directory: join(home, "database") })
    : postgresLayer({ url: databaseUrl })

const hostLayer = (config: Config) =>
  Layer.unwrap(Effect.map(Installation, ({ machine }) =>
    localHostLayer({
      machineId: machine.machineId,
      home: config.home,
      repositoryRoots: config.repositoryRoots,
      agents: config.agents,
      excludedPathEntries: npmPathEntries(process.env, clone),
      terminateGraceMillis: config.terminateGraceMillis,
      outputRingBytes: config.outputRingBytes
    })))

/** The data folder, for this process alone, and what is fixed while it has it. */
const installationLayer = (config: Config) =>
  Layer.effect(
    Installation,
    Effect.gen(function*() {
      yield* requireGit
      yield* makeHome(config.home)
      yield* lockHome(config.home)
      let address = `http://127.0.0.1:${config.port}`
      return {
        config,
        machine: yield* machineOf(config.home),
        baseUrl: () => config.baseUrl ?? address,
        listensOn: (url: string) => {
          // An address that one can open: a server that listens everywhere listens on loopback too.
          address = url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, "//127.0.0.1:")
        }
      }
    })
  )

/**
 * Every port on a migrated database and this machine: what the server runs on, and what a command runs on by itself
 * while there is no server. It is built in this order, lock first, and ends in the opposite one.
 */
export const servicesLayer = (config: Config) =>
  Layer.mergeAll(storeLayer, hostLayer(config), passwordHasherLayer).pipe(
    Layer.provideMerge(Layer.effectDiscard(migrate)),
    Layer.provideMerge(databaseLayer(config)),
    Layer.provideMerge(installationLayer(config)),
    Layer.provideMerge(layerWebCrypto),
    Layer.provideMerge(Layer.succeed(AutomationDefaults, config.automationDefaults))
  )
