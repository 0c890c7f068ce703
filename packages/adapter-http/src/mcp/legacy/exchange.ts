import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"

/** One request in, what it has to say on the way, and one answer out: all that the SDK's server needs of a transport. */
class ExchangeTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  readonly #send: (message: JSONRPCMessage) => void
  constructor(send: (message: JSONRPCMessage) => void) {
    this.#send = send
  }
  async start() {}
  async send(message: JSONRPCMessage) {
    this.#send(message)
  }
  async close() {
    this.onclose?.()
  }
}

/**
 * Has a server, fresh for this request, answer it; `notify` gets what it says before. Interruption closes the server,
 * which ends the tool that it runs.
 */
export const exchange = (
  server: Server,
  request: JSONRPCRequest,
  notify: (message: JSONRPCMessage) => void
): Effect.Effect<JSONRPCMessage> =>
  Effect.callback((resume) => {
    const transport = new ExchangeTransport((message) => {
      if ("method" in message) notify(message)
      else resume(Effect.succeed(message))
    })
    server.onerror = (error) => resume(Effect.die(error))
    server.connect(transport).then(
      () => transport.onmessage?.(request),
      (error) => resume(Effect.die(error))
    )
    return Effect.promise(() => server.close())
  })
