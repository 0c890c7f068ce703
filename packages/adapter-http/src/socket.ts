import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { envelope } from "./errors/error-envelope.ts"
import type { Failure } from "./errors/failure.ts"

/** Leave to send a body is given by whoever reads it, so that a refused one is never sent. */
export const inviteLate = (server: Server): void => {
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => server.emit("request", req, res))
}

const protocolFailures: Readonly<Record<string, Failure & { readonly status: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", code: "TIMEOUT", message: "The request did not arrive in time." },
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    code: "INVALID_REQUEST",
    message: "The header fields are over 16 KiB."
  }
}
const badRequest = { status: "400 Bad Request", code: "INVALID_REQUEST", message: "This is not valid HTTP/1.1." } as const

/** Connections whose request was answered before it had arrived: nothing more is said there. */
const answeredEarly = new WeakSet<Socket>()

/**
 * What never became a request is answered on the bare socket, in the same envelope, and the connection ends. Where it
 * follows a good request that is still being answered, that answer goes out first, and the connection ends after it.
 */
export const answerBadProtocol = (server: Server): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse | null }) => {
    const pending = socket._httpMessage
    if (pending?.req.complete === true && !pending.writableEnded) {
      pending.shouldKeepAlive = false
      return
    }
    if (!socket.writable || pending?.headersSent === true || answeredEarly.has(socket)) return void socket.destroy()
    const { status, ...failure } = protocolFailures[error.code ?? ""] ?? badRequest
    const body = JSON.stringify(envelope(failure))
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
        + `Connection: close\r\n\r\n${body}`,
      () => socket.destroy()
    )
  })
}

const lingerMillis = 1_000

/**
 * A reply may be ready before its request has arrived, as 413 is. What still comes is thrown away for a moment, so that
 * the client reads the reply instead of a broken connection (RFC 9112 section 9.6), and then the connection is cut.
 */
export const lingerAfterReply = (server: Server): void => {
  server.prependListener("request", (req: IncomingMessage, res: ServerResponse) => {
    res.once("finish", () => {
      if (req.complete || req.destroyed) return
      const { socket } = req
      answeredEarly.add(socket)
      req.resume()
      const cut = setTimeout(() => socket.destroy(), lingerMillis)
      req.once("close", () => {
        clearTimeout(cut)
        answeredEarly.delete(socket)
      })
    })
  })
}
