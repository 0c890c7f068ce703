// For test files: a database of their own on the server that the run shares (`global-setup.ts`).
import { Effect } from "effect"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { describe, inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    coppicePostgres: { readonly socket: string } | { readonly unavailable: string }
  }
}

const notConfigured = { unavailable: "globalSetup does not name @coppice/testkit's postgres/global-setup" }

const server = (inject("coppicePostgres") as ReturnType<typeof inject<"coppicePostgres">> | undefined) ?? notConfigured

/** `describe`, skipped with the reason in its name where no PostgreSQL can be run. */
export const describePostgres = (name: string, body: () => void) =>
  "socket" in server ? describe(name, body) : describe.skip(`${name} (no PostgreSQL: ${server.unavailable})`, body)

/** Makes a new, empty database and gives its address, with the rights of a superuser. It ends with the run. */
export const freshDatabase: Effect.Effect<string> = Effect.promise(async () => {
  if (!("socket" in server)) throw new Error(`No PostgreSQL: ${server.unavailable}`)
  const answer = JSON.parse(await text(connect(server.socket))) as { url: string } | { failure: string }
  if ("failure" in answer) throw new Error(`No PostgreSQL: ${answer.failure}`)
  return answer.url
})
