import { Cause, Effect, Exit } from "effect"
import { servicesLayer } from "./compose.ts"
import { loadConfig } from "./config/config.ts"
import { logLayer } from "./log.ts"
import { reportFailure } from "./report-failure.ts"
import { type FirstStep, serve } from "./serve.ts"
import { stopOnSignal } from "./stop-on-signal.ts"

const steps = {
  "set up": (url: string) =>
    `There is no user yet. Open this link to set the service up; it works once:\n  ${url}\n`
    + "Or create the first user here:\n  npm run coppice -- users create --email you@example.com\n",
  "set a password": (url: string) => `The owner has no password yet. Open this link to set one; it works once:\n  ${url}\n`
}

const ready = ({ first, url }: { readonly url: string; readonly first: FirstStep | undefined }) => {
  process.stdout.write(`Coppice is ready at ${url}\n${first === undefined ? "" : steps[first.does](first.url)}`)
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

if (process.argv.length > 2) {
  process.stderr.write("coppice: the server takes no arguments; its environment configures it. npm run coppice -- help shows the commands.\n")
  process.exit(2)
}

const fiber = Effect.runFork(program)
stopOnSignal(() => fiber.interruptUnsafe())
fiber.addObserver((exit) => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) process.exit(0)
  reportFailure(exit.cause)
  process.exit(1)
})
