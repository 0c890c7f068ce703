import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"

/** One request in, one answer out: all that the SDK's server needs of a transport when nothing is kept between requests. */
class ExchangeTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  readonly #answer: (message: JSONRPCMessage) => void
  constructor(answer: (message: JSONRPCMessage) => void) {
    this.#answer = answer
  }
  async start() {}
  async send(message: JSONRPCMessage) {
    if (!("method" in message)) this.#answer(message)
  }
  async close() {
    this.onclose?.()
  }
}

/** Has a server, fresh for this request, answer it. Interruption closes the server, which ends the tool that it runs. */
export const exchange = (server: Server, request: JSONRPCRequest): Effect.Effect<JSONRPCMessage> =>
  Effect.callback((resume) => {
    const transport = new ExchangeTransport((message) => resume(Effect.succeed(message)))
    server.onerror = (error) => resume(Effect.die(error))
    server.connect(transport).then(
      () => transport.onmessage?.(request),
      (error) => resume(Effect.die(error))
    )
    return Effect.promise(() => server.close())
  })
