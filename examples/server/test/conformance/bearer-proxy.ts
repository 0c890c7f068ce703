import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * Passes everything on to a server, with a credential that the sender lacks. What the sender says of itself (Host and
 * Origin among it) stays as it is.
 */
export const bearerProxy = async (target: string, key: string) => {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, answer) => {
    const onward = request({
      hostname,
      port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, authorization: `Bearer ${key}` }
    }, (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
    onward.once("error", () => answer.destroy())
    answer.once("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
