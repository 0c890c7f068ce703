// Starts a server, prints its address, and never ends by itself.
import { startPostgres } from "@coppice/testkit/postgres"
import { Effect } from "effect"

const program = Effect.gen(function*() {
  const { url } = yield* startPostgres()
  process.stdout.write(`${url}\n`)
  return yield* Effect.never
})

void Effect.runPromise(Effect.scoped(program))
