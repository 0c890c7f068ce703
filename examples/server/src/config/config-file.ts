import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { StartFailure } from "../start-failure.ts"
import { describeIssues } from "./describe-issues.ts"

const text = (maxLength: number) =>
  Schema.String.check(
    Schema.makeFilter((value: string) => !value.includes("\u0000") || "Expected no U+0000"),
    Schema.isMinLength(1),
    Schema.isMaxLength(maxLength)
  )

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const VariableName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]*$/, { expected: "the name of an environment variable" })
)

const AgentCommand = Schema.Array(Schema.String.check(
  Schema.makeFilter((value: string) => !value.includes("\u0000") || "Expected no U+0000")
)).check(Schema.makeFilter((command: ReadonlyArray<string>) =>
  (command[0] ?? "") !== "" || "Expected a program and its arguments"
))

const Prompt = Schema.Literals(["stdin", "file", "argument"]).annotate({
  message: "Expected stdin, file or argument (acp is not there yet)"
})

const placeholders = { stdin: undefined, file: "{promptFile}", argument: "{prompt}" } as const

const AgentEntry = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
    expected: "letters, digits, dots, dashes and underscores, 64 at the most"
  })),
  name: Schema.optionalKey(text(100)),
  command: AgentCommand,
  prompt: Prompt,
  env: Schema.optionalKey(Schema.Struct({
    pass: Schema.optionalKey(Schema.Array(VariableName)),
    set: Schema.optionalKey(Schema.Record(VariableName, Schema.String))
  })),
  timeoutSeconds: Schema.optionalKey(between(1, 604_800))
}).check(Schema.makeFilter(({ command, prompt }) => {
  const placeholder = placeholders[prompt]
  return placeholder === undefined || command.slice(1).some((argument) => argument.includes(placeholder)) ||
    { path: ["command"], issue: `Expected ${placeholder} in one of the arguments, because prompt is ${prompt}` }
}))

const Agents = Schema.Array(AgentEntry).check(Schema.makeFilter((agents) => {
  const position = agents.findIndex(({ id }, index) => agents.findIndex((other) => other.id === id) !== index)
  return position === -1 || { path: [position, "id"], issue: "Expected an id that no other agent has" }
}))

const Runs = Schema.Struct({
  leaseSeconds: Schema.optionalKey(between(2, 600)),
  heartbeatSeconds: Schema.optionalKey(between(1, 300)),
  timeoutSeconds: Schema.optionalKey(between(1, 604_800)),
  attempts: Schema.optionalKey(between(1, 10)),
  terminateSeconds: Schema.optionalKey(between(0, 5)),
  outputRingBytes: Schema.optionalKey(between(64 * 1024, 1024 ** 3)),
  minFreeBytes: Schema.optionalKey(between(0, Number.MAX_SAFE_INTEGER))
})

const OpenIdConnect = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, {
    expected: "lower-case letters, digits and hyphens, 32 at the most"
  })),
  name: text(60),
  issuer: Schema.String.check(Schema.isPattern(/^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?)(?:\/[^\s?#]*)?$/, {
    expected: "an https address, as https://accounts.example.com"
  })),
  clientId: text(500),
  clientSecretEnv: Schema.optionalKey(VariableName)
})

const OpenIdConnects = Schema.Array(OpenIdConnect).check(Schema.makeFilter((providers) => {
  const position = providers.findIndex(({ id }, index) => providers.findIndex((other) => other.id === id) !== index)
  return position === -1 || { path: [position, "id"], issue: "Expected an id that no other provider has" }
}))

/** The configuration file, as people write it: everything may be left out. */
export const ConfigFile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  repositoryRoots: Schema.optionalKey(Schema.Array(
    Schema.String.check(Schema.isPattern(/^(?:\/|~(?:\/|$))/, { expected: "an absolute path, or one that begins with ~/" }))
  )),
  maxConcurrentRuns: Schema.optionalKey(between(1, 1000)),
  agents: Schema.optionalKey(Agents),
  runs: Schema.optionalKey(Runs),
  signIn: Schema.optionalKey(Schema.Struct({ openidConnect: Schema.optionalKey(OpenIdConnects) }))
})
export type ConfigFile = typeof ConfigFile.Type

const decode = Schema.decodeUnknownEffect(ConfigFile, { errors: "all", onExcessProperty: "error" })

const failure = (path: string, problems: ReadonlyArray<string>) =>
  new StartFailure({
    message: `The configuration file ${path} cannot be used:\n${problems.map((problem) => `  ${problem}`).join("\n")}`,
    hint: "Correct the file, then start again."
  })

/** Reads the file. One that was not asked for by name may be missing. */
export const readConfigFile = Effect.fn("readConfigFile")(function*(path: string, required: boolean) {
  const content = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => cause as NodeJS.ErrnoException
  }).pipe(Effect.catch((error) =>
    ["ENOENT", "ENOTDIR"].includes(error.code ?? "") && !required
      ? Effect.succeed(undefined)
      : new StartFailure({ message: `The configuration file ${path} cannot be read: ${error.message}.` })
  ))
  if (content === undefined) return {}
  const value = yield* Effect.try({
    try: () => JSON.parse(content) as unknown,
    catch: (cause) => failure(path, [`not JSON: ${(cause as Error).message}`])
  })
  return yield* Effect.mapError(decode(value), (error) => failure(path, describeIssues(error)))
})
