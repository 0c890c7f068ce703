import { Cause, Effect, Exit, Schema, Stream } from "effect"
import { chmodSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { describeIssues } from "../config/describe-issues.ts"
import { StartFailure } from "../start-failure.ts"
import { followRun } from "./follow-run.ts"
import { callOperation } from "./operation-catalog.ts"

/** A run's payload is 1 MiB at the most, and JSON may spell each of its bytes in six. */
const maxRequestBytes = 8 * 1024 * 1024

const Call = Schema.fromJsonString(Schema.Struct({
  operation: Schema.String,
  arguments: Schema.Unknown,
  user: Schema.optionalKey(Schema.String)
}))
const Follow = Schema.fromJsonString(Schema.Struct({
  runId: Schema.String,
  afterSequence: Schema.Int,
  user: Schema.optionalKey(Schema.String)
}))

interface Failure {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
}

const envelope = ({ code, hint, message }: Failure) => ({ error: { code, message, ...(hint === undefined ? {} : { hint }) } })

const unexpected: Failure = { code: "INTERNAL", message: "Something unexpected went wrong.", hint: "The server's log says what." }

const readBody = (request: IncomingMessage) =>
  Effect.tryPromise({
    try: async () => {
      const chunks: Array<Buffer> = []
      let size = 0
      for await (const chunk of request as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > maxRequestBytes) throw new Error("too large")
        chunks.push(chunk)
      }
      return Buffer.concat(chunks).toString("utf8")
    },
    catch: (): Failure => ({ code: "PAYLOAD_TOO_LARGE", message: `A request holds ${maxRequestBytes} bytes at the most.` })
  })

const decoded = <A>(schema: Schema.ConstraintCodec<A, string, never, never>, request: IncomingMessage) =>
  Effect.flatMap(readBody(request), (body) =>
    Effect.mapError(Schema.decodeEffect(schema)(body), (error): Failure => ({
      code: "INVALID_REQUEST",
      message: describeIssues(error).join("; ")
    })))

const answer = (response: ServerResponse, status: number, body: unknown) =>
  Effect.sync(() => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  })

const write = (response: ServerResponse, line: unknown) =>
  Effect.callback<void>((resume) => {
    const written = () => resume(Effect.void)
    if (response.write(`${JSON.stringify(line)}\n`)) written()
    else response.once("drain", written).once("close", written)
  })

const call = (request: IncomingMessage, response: ServerResponse) =>
  decoded(Call, request).pipe(
    Effect.flatMap(callOperation),
    Effect.matchEffect({
      onSuccess: (result) => answer(response, 200, { result }),
      onFailure: (failure) => answer(response, 422, envelope(failure))
    })
  )

/** Lines of JSON: events, and at last that it ended, or what went wrong. */
const follow = (request: IncomingMessage, response: ServerResponse) =>
  decoded(Follow, request).pipe(
    Effect.flatMap(({ afterSequence, runId, user }) =>
      Stream.runForEach(followRun(runId, afterSequence, user), (event) => write(response, { event }))),
    Effect.andThen(write(response, { ended: true })),
    Effect.catch((failure) => write(response, envelope(failure))),
    Effect.andThen(Effect.sync(() => response.end()))
  )

const routes: Readonly<Record<string, typeof call | typeof follow>> = { "/call": call, "/follow": follow }

type Services = Effect.Services<ReturnType<typeof call> | ReturnType<typeof follow>>

/**
 * Listens for the operator's commands on a Unix socket that only this user can open: whoever can is the operator. To be
 * built while the data folder is locked, so that what lies at the path is a dead process's.
 */
export const adminServer = Effect.fn("adminServer")(function*(path: string) {
  const context = yield* Effect.context<Services>()
  const fork = Effect.runForkWith(context)
  const server = createServer((request, response) => {
    const route = request.method === "POST" ? routes[request.url ?? ""] : undefined
    if (route === undefined) return void response.writeHead(404).end()
    const fiber = fork(route(request, response))
    response.once("close", () => fiber.interruptUnsafe())
    fiber.addObserver((exit) => {
      if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return void response.end()
      fork(Effect.logError("An operator's command failed", exit.cause))
      if (response.headersSent) response.destroy()
      else fork(answer(response, 500, envelope(unexpected)))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void, StartFailure>((resume) => {
      rmSync(path, { force: true })
      server.once("error", (error) =>
        resume(Effect.fail(new StartFailure({ message: `The admin socket ${path} cannot be made: ${error.message}.` }))))
      server.listen(path, () => {
        chmodSync(path, 0o600)
        resume(Effect.void)
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
})
