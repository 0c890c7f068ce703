import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** A site of somebody else's: it answers with a page, and remembers what it was asked for. */
export const otherSite = async (html = "<title>Client</title>Done", host = "127.0.0.1") => {
  const seen: Array<URL> = []
  const headers: Array<NodeJS.Dict<string | Array<string>>> = []
  const server = createServer((request, response) => {
    seen.push(new URL(request.url!, "http://localhost"))
    headers.push(request.headers)
    response.setHeader("content-type", "text/html").end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { headers, port, seen, url: `http://localhost:${port}` }
}
