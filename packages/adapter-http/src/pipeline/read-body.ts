import { Effect } from "effect"
import { type NodeExchange, nodeExchange } from "./call.ts"

const concat = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)

/** Whoever sends a body waits for leave to (RFC 9110 section 10.1.1): it is given when somebody means to read it. */
const invite = ({ req, res }: NodeExchange): void => {
  if (req.headers.expect?.toLowerCase() === "100-continue") res.writeContinue()
}

/** Straight from Node's stream: a web stream between costs more than all the rest of a small request. */
const fromNode = (exchange: NodeExchange, maxBytes: number) =>
  Effect.callback<Uint8Array | undefined>((resume) => {
    const { req } = exchange
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    const stop = () => {
      req.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone)
    }
    const onData = (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes <= maxBytes) return void chunks.push(chunk)
      stop()
      req.pause()
      resume(Effect.succeed(undefined))
    }
    const onEnd = () => {
      stop()
      resume(Effect.succeed(concat(chunks)))
    }
    const onGone = () => {
      stop()
      resume(Effect.interrupt)
    }
    if (req.destroyed) return onGone()
    if (req.readableEnded) return onEnd()
    invite(exchange)
    req.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone)
    return Effect.sync(stop)
  })

const fromWeb = Effect.fnUntraced(function*(body: ReadableStream<Uint8Array>, maxBytes: number) {
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  while (true) {
    const { done, value } = yield* Effect.promise(() => reader.read())
    if (done) return concat(chunks)
    bytes += value.length
    if (bytes > maxBytes) {
      void reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value)
  }
})

/** How many bytes the request says its body has; `undefined` when it does not say, as a chunked one. */
export const declaredBytes = (request: Request): number | undefined => {
  const length = request.headers.get("content-length")
  if (length !== null) return Number(length)
  const node = nodeExchange(request)
  const without = node === undefined ? request.body === null : node.req.headers["transfer-encoding"] === undefined
  return without ? 0 : undefined
}

/** The body as it was received, or `undefined` as soon as it is over `maxBytes`: no more than that is ever held. */
export const readBody = (request: Request, maxBytes: number): Effect.Effect<Uint8Array | undefined> => {
  if ((declaredBytes(request) ?? 0) > maxBytes) return Effect.succeed(undefined)
  const node = nodeExchange(request)
  if (node !== undefined) return fromNode(node, maxBytes)
  return request.body === null ? Effect.succeed(new Uint8Array(0)) : fromWeb(request.body, maxBytes)
}
