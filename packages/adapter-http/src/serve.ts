import { serve } from "h3"
import type { AddressInfo } from "node:net"
import type { HttpApp } from "./app.ts"
import { answerBadProtocol, inviteLate, lingerAfterReply } from "./socket.ts"

export interface ServeOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** How long a request's head may take, 10 seconds; RFC-conforming clients need milliseconds. */
  readonly headersTimeoutMillis?: number
  /** How long a whole request may take to arrive, 60 seconds. Answering it is not part of this. */
  readonly requestTimeoutMillis?: number
  /** How long a connection may stay without a request, 5 seconds. */
  readonly keepAliveTimeoutMillis?: number
}

export interface HttpServer {
  readonly host: string
  readonly port: number
  readonly url: string
  /** Takes no more requests, lets those that are being answered end within `graceMillis` (5 seconds), then cuts them off. */
  readonly close: (options?: { readonly graceMillis?: number }) => Promise<void>
}

const maxHeaderBytes = 16 * 1024

/** Listens. Rejects when it cannot, as on a port that is taken. */
export const serveHttp = async (app: HttpApp, options: ServeOptions): Promise<HttpServer> => {
  const headersTimeout = options.headersTimeoutMillis ?? 10_000
  const requestTimeout = options.requestTimeoutMillis ?? 60_000
  const server = serve(app.h3, {
    hostname: options.host,
    port: options.port,
    silent: true,
    manual: true,
    // The composition decides what a signal does, and in which order things end.
    gracefulShutdown: false,
    node: {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout: options.keepAliveTimeoutMillis ?? 5_000,
      // Node looks for slow requests this often; its default of 30 seconds would make the two limits above a fiction.
      connectionsCheckingInterval: Math.min(1_000, Math.ceil(Math.min(headersTimeout, requestTimeout) / 2)),
      maxHeaderSize: maxHeaderBytes
    }
  })
  const node = server.node!.server as import("node:http").Server
  inviteLate(node)
  answerBadProtocol(node)
  lingerAfterReply(node)
  await server.serve()
  const { address, family, port } = node.address() as AddressInfo
  const close = async ({ graceMillis = 5_000 } = {}) => {
    app.beginStop()
    const closed = new Promise<void>((resolve) => node.close(() => resolve()))
    // A connection that falls idle after this is not closed by Node until its keep-alive ends.
    const idle = setInterval(() => node.closeIdleConnections(), 20)
    const bound = setTimeout(() => node.closeAllConnections(), graceMillis)
    await closed
    clearInterval(idle)
    clearTimeout(bound)
  }
  return { host: address, port, url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`, close }
}
