import { Effect, Redacted } from "effect"
import { join, resolve } from "node:path"
import { expandHome, homeOf } from "../home/home-path.ts"
import { StartFailure } from "../start-failure.ts"
import { type ConfigFile, readConfigFile } from "./config-file.ts"
import { readEnvironment } from "./environment.ts"

export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(?:\.\d{1,3}){3}\]?)$/i.test(host)

const insecure = (host: string) =>
  new StartFailure({
    message: `HOST is ${host}, which other machines reach, and COPPICE_BASE_URL is no https address: keys would cross the network in the clear.`,
    hint: "Put a proxy with TLS in front and set COPPICE_BASE_URL to its https address; or set COPPICE_INSECURE_HTTP=1 to go without."
  })

/** What the run times must leave room for: a lease that cannot be renewed has to end its processes before it ends. */
const fenceMarginSeconds = 2

const runTimes = (path: string, runs: { leaseSeconds?: number; heartbeatSeconds?: number; terminateSeconds?: number }) => {
  const { heartbeatSeconds = 5, leaseSeconds = 15, terminateSeconds = 3 } = runs
  const needed = heartbeatSeconds + terminateSeconds + fenceMarginSeconds + 1
  return leaseSeconds < needed
    ? new StartFailure({
      message: `The configuration file ${path} cannot be used:\n  runs.leaseSeconds: expected ${needed} at the least, with heartbeatSeconds ${heartbeatSeconds} and terminateSeconds ${terminateSeconds}`,
      hint: "A lease must outlast a heart-beat and the time that processes are given to end."
    })
    : Effect.succeed({
      leaseMillis: leaseSeconds * 1000,
      heartbeatMillis: heartbeatSeconds * 1000,
      terminateGraceMillis: terminateSeconds * 1000,
      fenceMillis: (terminateSeconds + fenceMarginSeconds) * 1000
    })
}

type Provider = NonNullable<NonNullable<ConfigFile["signIn"]>["openidConnect"]>[number]

type ProviderWithSecret = Omit<Provider, "clientSecretEnv"> & { readonly clientSecret?: Redacted.Redacted<string> }

/** The file names the variable that holds a secret, so that the file itself holds none. */
const withSecret = (
  path: string,
  index: number,
  { clientSecretEnv, ...provider }: Provider,
  env: NodeJS.ProcessEnv
): Effect.Effect<ProviderWithSecret, StartFailure> => {
  if (clientSecretEnv === undefined) return Effect.succeed(provider)
  const secret = env[clientSecretEnv] ?? ""
  return secret === ""
    ? Effect.fail(new StartFailure({
      message: `The configuration file ${path} cannot be used:\n  signIn.openidConnect[${index}].clientSecretEnv: expected the name of an environment variable that is set, and ${clientSecretEnv} is not`,
      hint: "Set the variable, or leave clientSecretEnv out for a public client."
    }))
    : Effect.succeed({ ...provider, clientSecret: Redacted.make(secret) })
}

/** Everything that the service is told from outside, checked, with its defaults. */
export const loadConfig = Effect.fn("loadConfig")(function*(env: NodeJS.ProcessEnv) {
  const given = yield* readEnvironment(env)
  const home = homeOf(env)
  const file = resolve(expandHome(given.COPPICE_CONFIG ?? join(home, "config.json"), env))
  const { agents = [], maxConcurrentRuns = 4, repositoryRoots, runs = {}, signIn = {} } = yield* readConfigFile(
    file,
    given.COPPICE_CONFIG !== undefined
  )
  const host = (given.HOST ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1")
  const baseUrl = given.COPPICE_BASE_URL === undefined ? undefined : new URL(given.COPPICE_BASE_URL).origin
  if (!isLoopback(host) && baseUrl?.startsWith("https:") !== true && given.COPPICE_INSECURE_HTTP !== "1") {
    return yield* insecure(host)
  }
  const times = yield* runTimes(file, runs)
  const identityProviders = yield* Effect.forEach(signIn.openidConnect ?? [], (provider, index) => withSecret(file, index, provider, env))
  return {
    home,
    configFile: file,
    host,
    port: Number(given.PORT ?? 4280),
    baseUrl,
    trustedProxies: given.COPPICE_TRUSTED_PROXIES?.split(",").map((entry) => entry.trim()) ?? [],
    databaseUrl: given.DATABASE_URL === undefined ? undefined : Redacted.make(given.DATABASE_URL),
    adminEmail: given.COPPICE_ADMIN_EMAIL,
    adminPassword: given.COPPICE_ADMIN_PASSWORD === undefined ? undefined : Redacted.make(given.COPPICE_ADMIN_PASSWORD),
    identityProviders,
    log: given.COPPICE_LOG,
    repositoryRoots: (repositoryRoots ?? (isLoopback(host) ? ["~"] : [])).map((root) => resolve(expandHome(root, env))),
    agents: agents.map(({ name, ...agent }) => ({ ...agent, name: name ?? agent.id })),
    automationDefaults: { timeoutSeconds: runs.timeoutSeconds ?? 3600, maxAttempts: runs.attempts ?? 2 },
    maxConcurrentRuns,
    ...times,
    minFreeBytes: runs.minFreeBytes ?? 1024 ** 3,
    outputRingBytes: runs.outputRingBytes ?? 4 * 1024 * 1024
  }
})
export type Config = Effect.Success<ReturnType<typeof loadConfig>>
