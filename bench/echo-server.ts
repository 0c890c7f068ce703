// What an HTTP server in Node costs at the least: reads JSON, and answers it.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const server = createServer((request, response) => {
  const chunks: Array<Uint8Array> = []
  request.on("data", (chunk: Uint8Array) => chunks.push(chunk)).once("end", () => {
    const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body)
  })
})
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })))
process.once("SIGTERM", () => process.exit(0))
