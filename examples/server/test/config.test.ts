import { Effect, Exit, Cause, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Config, loadConfig } from "../src/config/config.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "coppice-config-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const load = (env: NodeJS.ProcessEnv, file?: unknown): Promise<Config> => {
  const path = join(folder, "config.json")
  rmSync(path, { force: true })
  if (file !== undefined) writeFileSync(path, typeof file === "string" ? file : JSON.stringify(file))
  return Effect.runPromiseExit(loadConfig({ COPPICE_HOME: folder, ...env })).then((exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  })
}

const agent = { id: "a", name: "A", command: ["a"], prompt: "stdin" }

const provider = { id: "corp", name: "Corp", issuer: "https://id.example.com/corp", clientId: "coppice" }

test("has a default for everything", async () => {
  expect(await load({})).toEqual({
    home: folder,
    configFile: join(folder, "config.json"),
    automationDefaults: { timeoutSeconds: 3600, maxAttempts: 2 },
    host: "127.0.0.1",
    port: 4280,
    baseUrl: undefined,
    trustedProxies: [],
    databaseUrl: undefined,
    adminEmail: undefined,
    adminPassword: undefined,
    identityProviders: [],
    log: undefined,
    repositoryRoots: [process.env["HOME"] ?? homedir()],
    agents: [],
    maxConcurrentRuns: 4,
    leaseMillis: 15_000,
    heartbeatMillis: 5_000,
    terminateGraceMillis: 3_000,
    fenceMillis: 5_000,
    minFreeBytes: 1024 ** 3,
    outputRingBytes: 4 * 1024 ** 2
  })
})

test("takes what is given", async () => {
  const config = await load({
    HOST: "0.0.0.0",
    PORT: "0",
    COPPICE_BASE_URL: "https://coppice.example.com/",
    COPPICE_TRUSTED_PROXIES: "10.0.0.1, 192.168.0.0/16",
    DATABASE_URL: "postgres://u:p@db/x",
    COPPICE_ADMIN_EMAIL: "ann@example.com",
    COPPICE_ADMIN_PASSWORD: "correct horse",
    CORP_SECRET: "sesame",
    COPPICE_LOG: "json",
    HOME: "/home/ann"
  }, {
    repositoryRoots: ["~/code", "/srv/code/"],
    maxConcurrentRuns: 2,
    agents: [{ ...agent, env: { pass: ["API_KEY"], set: { MODE: "fast" } } }, { id: "b", command: ["b", "{prompt}"], prompt: "argument", timeoutSeconds: 5 }],
    runs: { leaseSeconds: 30, heartbeatSeconds: 10, timeoutSeconds: 60, attempts: 3, terminateSeconds: 1, outputRingBytes: 65_536, minFreeBytes: 0 },
    signIn: { openidConnect: [{ ...provider, clientSecretEnv: "CORP_SECRET" }, { ...provider, id: "two" }] }
  })
  expect(config).toMatchObject({
    host: "0.0.0.0",
    port: 0,
    baseUrl: "https://coppice.example.com",
    trustedProxies: ["10.0.0.1", "192.168.0.0/16"],
    adminEmail: "ann@example.com",
    log: "json",
    repositoryRoots: ["/home/ann/code", "/srv/code"],
    maxConcurrentRuns: 2,
    agents: [
      { id: "a", name: "A", env: { pass: ["API_KEY"], set: { MODE: "fast" } } },
      { id: "b", name: "b", timeoutSeconds: 5 }
    ],
    automationDefaults: { timeoutSeconds: 60, maxAttempts: 3 },
    leaseMillis: 30_000,
    heartbeatMillis: 10_000,
    terminateGraceMillis: 1000,
    minFreeBytes: 0,
    outputRingBytes: 65_536
  })
  expect(Redacted.value(config.databaseUrl!)).toBe("postgres://u:p@db/x")
  expect(Redacted.value(config.adminPassword!)).toBe("correct horse")
  expect(config.identityProviders).toMatchObject([provider, { ...provider, id: "two" }])
  expect(config.identityProviders.map(({ clientSecret }) => clientSecret && Redacted.value(clientSecret))).toEqual(["sesame", undefined])
  for (const secret of ["sesame", "correct horse"]) expect(`${JSON.stringify(config)}${String(config.adminPassword)}`).not.toContain(secret)
})

test("allows no repository where other machines reach the service, unless roots are named", async () => {
  const env = { HOST: "0.0.0.0", COPPICE_BASE_URL: "https://coppice.example.com" }
  expect((await load(env)).repositoryRoots).toEqual([])
  expect((await load(env, { repositoryRoots: ["/srv"] })).repositoryRoots).toEqual(["/srv"])
})

describe("the environment", () => {
  test.each([
    ["HOST", "a b", "HOST: expected an address or a host name"],
    ["PORT", "65536", "PORT: expected a port, 0 to 65535"],
    ["PORT", "http", "PORT: expected a port, 0 to 65535"],
    ["COPPICE_BASE_URL", "coppice.example.com", "COPPICE_BASE_URL: expected an http or https address without a path"],
    ["COPPICE_BASE_URL", "https://example.com/coppice", "COPPICE_BASE_URL: expected an http or https address without a path"],
    ["COPPICE_BASE_URL", "https://ann:sesame@example.com", "COPPICE_BASE_URL: expected an http or https address without a path"],
    ["COPPICE_TRUSTED_PROXIES", "10.0.0.1,proxy", "COPPICE_TRUSTED_PROXIES: expected addresses or networks"],
    ["COPPICE_TRUSTED_PROXIES", "10.0.0.0/33", "COPPICE_TRUSTED_PROXIES: expected addresses or networks"],
    ["COPPICE_INSECURE_HTTP", "yes", "COPPICE_INSECURE_HTTP: expected 1, or nothing"],
    ["DATABASE_URL", "mysql://u:sesame@db/x", "DATABASE_URL: expected a PostgreSQL address"],
    ["COPPICE_ADMIN_EMAIL", "ann", "COPPICE_ADMIN_EMAIL: expected an e-mail address"],
    ["COPPICE_ADMIN_PASSWORD", "sesame", "COPPICE_ADMIN_PASSWORD: expected 8 to 256 characters"],
    ["COPPICE_ADMIN_PASSWORD", "open sesame", "COPPICE_ADMIN_EMAIL: expected an e-mail address, because COPPICE_ADMIN_PASSWORD is set"],
    ["COPPICE_LOG", "xml", "COPPICE_LOG: expected pretty or json"]
  ])("refuses %s=%s", async (name, value, message) => {
    const error = await load({ [name]: value }).catch((error: Error) => error)
    expect(error).toMatchObject({ _tag: "StartFailure", message: expect.stringContaining(message) })
    expect((error as Error).message).not.toContain("sesame")
  })

  test("says everything that is wrong at once", async () => {
    await expect(load({ PORT: "x", COPPICE_LOG: "x" })).rejects.toThrow(/PORT: .*\n.*COPPICE_LOG: /)
  })

  test("counts what is empty as left out", async () => {
    expect(await load({ PORT: "", COPPICE_BASE_URL: "", DATABASE_URL: "" })).toMatchObject({ port: 4280, baseUrl: undefined })
  })

  test.each(["0.0.0.0", "::", "192.168.1.5", "coppice.example.com"])("goes to %s only behind https, or when told to", async (HOST) => {
    await expect(load({ HOST })).rejects.toThrow(`HOST is ${HOST}`)
    await expect(load({ HOST, COPPICE_BASE_URL: "http://coppice.example.com" })).rejects.toThrow(`HOST is ${HOST}`)
    expect(await load({ HOST, COPPICE_INSECURE_HTTP: "1" })).toMatchObject({ host: HOST })
    expect(await load({ HOST, COPPICE_BASE_URL: "https://coppice.example.com" })).toMatchObject({ host: HOST })
  })

  test.each(["127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"])("needs nothing more on %s", async (HOST) => {
    expect(await load({ HOST })).toMatchObject({ host: HOST.replace(/[[\]]/g, "") })
  })
})

describe("the configuration file", () => {
  test.each<[string, unknown, string]>([
    ["what is no JSON", "{", "not JSON: "],
    ["another kind of value", [], "expected object"],
    ["an unknown field", { repositoryRoot: [] }, "repositoryRoot is no field that is known here"],
    ["a provider without TLS", { signIn: { openidConnect: [{ ...provider, issuer: "http://id.example.com" }] } }, "signIn.openidConnect[0].issuer: expected an https address"],
    ["a provider's id that is no part of an address", { signIn: { openidConnect: [{ ...provider, id: "a/b" }] } }, "signIn.openidConnect[0].id: expected lower-case letters"],
    ["two providers by one id", { signIn: { openidConnect: [provider, provider] } }, "signIn.openidConnect[1].id: expected an id that no other provider has"],
    ["a secret itself", { signIn: { openidConnect: [{ ...provider, clientSecret: "sesame" }] } }, "signIn.openidConnect[0].clientSecret is no field that is known here"],
    ["a secret that is not there", { signIn: { openidConnect: [{ ...provider, clientSecretEnv: "NOT_SET" }] } }, "signIn.openidConnect[0].clientSecretEnv: expected the name of an environment variable that is set"],
    ["an unknown field of an agent", { agents: [{ ...agent, args: [] }] }, "agents[0].args is no field that is known here"],
    ["a relative root", { repositoryRoots: ["code"] }, "repositoryRoots[0]: expected an absolute path, or one that begins with ~/"],
    ["no run at once", { maxConcurrentRuns: 0 }, "maxConcurrentRuns: expected a value between 1 and 1000"],
    ["an agent without an id", { agents: [{ command: ["a"], prompt: "stdin" }] }, "agents[0].id is missing"],
    ["an agent's strange id", { agents: [{ ...agent, id: "a b" }] }, "agents[0].id: expected letters, digits, dots, dashes and underscores"],
    ["two agents of one id", { agents: [agent, agent] }, "agents[1].id: expected an id that no other agent has"],
    ["an empty command", { agents: [{ ...agent, command: [] }] }, "agents[0].command: expected a program and its arguments"],
    ["a command for a shell", { agents: [{ ...agent, command: "a -x" }] }, "agents[0].command: expected array"],
    ["U+0000", { agents: [{ ...agent, command: ["a", "\0"] }] }, "agents[0].command[1]: expected no U+0000"],
    ["a protocol that is not there yet", { agents: [{ ...agent, prompt: "acp" }] }, "agents[0].prompt: expected stdin, file or argument (acp is not there yet)"],
    ["no place for the prompt's file", { agents: [{ ...agent, prompt: "file" }] }, "agents[0].command: expected {promptFile} in one of the arguments"],
    ["no place for the prompt", { agents: [{ ...agent, prompt: "argument" }] }, "agents[0].command: expected {prompt} in one of the arguments"],
    ["no name of a variable", { agents: [{ ...agent, env: { pass: ["A-B"] } }] }, "agents[0].env.pass[0]: expected the name of an environment variable"],
    ["a variable that is no text", { agents: [{ ...agent, env: { set: { A: 1 } } }] }, "agents[0].env.set.A: expected string"],
    ["an agent without time", { agents: [{ ...agent, timeoutSeconds: 0 }] }, "agents[0].timeoutSeconds: expected a value between 1 and 604800"],
    ["half a second", { runs: { heartbeatSeconds: 0.5 } }, "runs.heartbeatSeconds: expected"],
    ["a lease that a heart-beat may miss", { runs: { leaseSeconds: 10, heartbeatSeconds: 5 } }, "runs.leaseSeconds: expected 11 at the least"],
    ["a stop that outlasts the service's own", { runs: { terminateSeconds: 60 } }, "runs.terminateSeconds: expected a value between 0 and 5"]
  ])("refuses %s", async (_, file, message) => {
    await expect(load({}, file)).rejects.toMatchObject({ _tag: "StartFailure", message: expect.stringContaining(message) })
  })

  test("may be missing only while nobody named it", async () => {
    await expect(load({ COPPICE_CONFIG: join(folder, "missing.json") })).rejects.toThrow("missing.json cannot be read")
  })
})
