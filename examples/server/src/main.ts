import { Cause, Effect, Exit } from "effect"
import { servicesLayer } from "./compose.ts"
import { loadConfig } from "./config/config.ts"
import { logLayer } from "./log.ts"
import { reportFailure } from "./report-failure.ts"
import { serve } from "./serve.ts"
import { stopOnSignal } from "./stop-on-signal.ts"

const say = (line: string) => process.stdout.write(`${line}\n`)

const ready = ({ hasUsers, url }: { readonly url: string; readonly hasUsers: boolean }) => {
  say(`Coppice is ready at ${url}`)
  if (!hasUsers) say("There is no user yet. Create the first one:\n  npm run coppice -- users create --email you@example.com")
}

const program = Effect.gen(function*() {
  const config = yield* loadConfig(process.env)
  yield* Effect.scoped(serve(ready)).pipe(
    Effect.provide(servicesLayer(config)),
    Effect.provide(logLayer(config.log))
  )
})

// A terminal or a pipe that went away is no reason to leave agents behind.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

const fiber = Effect.runFork(program)
stopOnSignal(() => fiber.interruptUnsafe())
fiber.addObserver((exit) => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) process.exit(0)
  reportFailure(exit.cause)
  process.exit(1)
})
