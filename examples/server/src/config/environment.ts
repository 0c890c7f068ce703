import { Effect, Schema } from "effect"
import { isIP } from "node:net"
import { Email, passwordFault } from "@coppice/core"
import { StartFailure } from "../start-failure.ts"
import { describeIssues } from "./describe-issues.ts"

const filled = (expected: string, test: (value: string) => boolean) =>
  Schema.String.check(Schema.makeFilter((value: string) => test(value) || `Expected ${expected}`))

const port = /^\d{1,5}$/

const isBaseUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, password, pathname, protocol, search, username } = new URL(text)
  return /^https?:$/.test(protocol) && pathname === "/" && [username, password, search, hash].every((part) => part === "")
}

const isNetwork = (text: string): boolean => {
  const [address = "", prefix, ...rest] = text.trim().split("/")
  const bits = isIP(address) === 6 ? 128 : 32
  return isIP(address) !== 0 && rest.length === 0 && (prefix === undefined || /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
}

/** What the service takes from its environment. Everything may be left out, and what is empty counts as left out. */
const Environment = Schema.Struct({
  HOST: Schema.optionalKey(filled("an address or a host name", (text) => /^[A-Za-z0-9.:_%[\]-]{1,253}$/.test(text))),
  PORT: Schema.optionalKey(filled("a port, 0 to 65535", (text) => port.test(text) && Number(text) <= 65_535)),
  COPPICE_BASE_URL: Schema.optionalKey(
    filled("an http or https address without a path, as https://coppice.example.com", isBaseUrl)
  ),
  COPPICE_TRUSTED_PROXIES: Schema.optionalKey(
    filled("addresses or networks, separated by commas, as 10.0.0.1,192.168.0.0/16", (text) => text.split(",").every(isNetwork))
  ),
  COPPICE_INSECURE_HTTP: Schema.optionalKey(
    Schema.Literals(["0", "1"]).annotate({ message: "Expected 1, or nothing" })
  ),
  COPPICE_HOME: Schema.optionalKey(Schema.String),
  COPPICE_CONFIG: Schema.optionalKey(Schema.String),
  DATABASE_URL: Schema.optionalKey(
    filled("a PostgreSQL address, as postgres://user:password@host:5432/database", (text) => /^postgres(?:ql)?:\/\//.test(text))
  ),
  COPPICE_ADMIN_EMAIL: Schema.optionalKey(Email),
  COPPICE_ADMIN_PASSWORD: Schema.optionalKey(
    filled("8 to 256 characters", (text) => passwordFault(text) === undefined)
  ),
  COPPICE_LOG: Schema.optionalKey(Schema.Literals(["pretty", "json"]).annotate({ message: "Expected pretty or json" }))
})

const names = Object.keys(Environment.fields)

/** A password for nobody is a mistake that would show only when somebody cannot sign in. */
const Consistent = Environment.check(Schema.makeFilter(({ COPPICE_ADMIN_EMAIL, COPPICE_ADMIN_PASSWORD }) =>
  COPPICE_ADMIN_PASSWORD === undefined || COPPICE_ADMIN_EMAIL !== undefined ||
  { path: ["COPPICE_ADMIN_EMAIL"], issue: "Expected an e-mail address, because COPPICE_ADMIN_PASSWORD is set" }
))

const decode = Schema.decodeUnknownEffect(Consistent, { errors: "all" })

/** Reads the variables. The message names them and what was expected, and never repeats a value: one may hold a password. */
export const readEnvironment = (env: NodeJS.ProcessEnv) => {
  const given = Object.fromEntries(names.flatMap((name) => env[name] === undefined || env[name] === "" ? [] : [[name, env[name]]]))
  return Effect.mapError(decode(given), (error) =>
    new StartFailure({
      message: `The environment cannot be used:\n${describeIssues(error).map((problem) => `  ${problem}`).join("\n")}`,
      hint: "Correct or unset what is named, then start again."
    }))
}
