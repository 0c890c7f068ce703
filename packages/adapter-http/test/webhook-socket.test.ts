import { verifies } from "@coppice/testkit/conformance"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type HttpServer, serveHttp } from "../src/index.ts"
import { statusesOf, talk } from "./support/raw-socket.ts"
import { makeService, type Service } from "./support/service.ts"

let service: Service
let server: HttpServer
beforeAll(async () => {
  service = await makeService()
  server = await serveHttp(service.app, {
    host: "127.0.0.1",
    port: 0,
    headersTimeoutMillis: 400,
    requestTimeoutMillis: 800
  })
})
afterAll(() => server.close({ graceMillis: 100 }))

const head = (path: string, token: string, ...fields: ReadonlyArray<string>) =>
  [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, `Authorization: Bearer ${token}`, ...fields, "", ""].join("\r\n")
const json = "Content-Type: application/json"
const firstStatus = (answer: string) => statusesOf(answer)[0]
const answered = { until: (answer: string) => answer.includes("\r\n\r\n") }

describe("webhook on the wire", () => {
  it(verifies("webhook.body-over-1-mib-413") + "W2: answers 413 to a length over 1 MiB of which nothing is ever sent, and ends the connection", async () => {
    const { id, path, token } = await service.addAutomation()
    // Whoever waited for the body would say 408.
    const { answer, closed } = await talk(server.port, [head(path, token, json, "Content-Length: 5242880")], { untilMillis: 20_000 })
    expect(statusesOf(answer)).toEqual([413])
    expect(closed).toBe(true)
    expect(service.payloadsOf(id)).toEqual([])
  }, 30_000)

  it("W3: stops reading a chunked body once it is too long, though it never ends, starts no run, and the client reads the 413", async () => {
    const { id, path, token } = await service.addAutomation()
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`
    const { answer } = await talk(
      server.port,
      [head(path, token, json, "Transfer-Encoding: chunked"), ...Array.from({ length: 80 }, () => chunk)],
      answered
    )
    expect(firstStatus(answer)).toBe(413)
    expect(service.payloadsOf(id)).toEqual([])
  })

  it("answers 401 to an endless body without reading it", async () => {
    const { path } = await service.addAutomation()
    const token = await service.newToken()
    // Whoever waited for its end would say 408.
    const { answer } = await talk(server.port, [head(path, token, json, "Transfer-Encoding: chunked"), "1\r\n[\r\n"], answered)
    expect(firstStatus(answer)).toBe(401)
  })

  it("W4: judges a body by its declared bytes, answers it, and closes on the junk behind it", async () => {
    const { id, path, token } = await service.addAutomation()
    const { answer, closed } = await talk(server.port, [head(path, token, json, "Content-Length: 2") + "{}junk\r\n\r\n"], { untilMillis: 500 })
    expect(statusesOf(answer)).toEqual([200])
    expect(closed).toBe(true)
    expect(service.payloadsOf(id)).toHaveLength(1)
  })

  it.each([
    ["both Transfer-Encoding and Content-Length", ["Content-Length: 2", "Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n", 400],
    ["two lengths", ["Content-Length: 2", "Content-Length: 3"], "{} ", 400],
    ["an odd spelling of chunked", ["Transfer-Encoding: ChunKed"], "2\r\n{}\r\n0\r\n\r\n", 200],
    ["a length that is no number", ["Content-Length: 2x"], "{}", 400],
    ["a length of zero", ["Content-Length: 0"], "", 200],
    ["chunks of nothing", ["Transfer-Encoding: chunked"], "0\r\n\r\n", 200],
    ["neither length nor chunks", [], "", 200],
    ["two credentials", ["Authorization: Bearer x", "Content-Length: 2"], "{}", 401]
  ])("W5, W8: answers %s as it should", async (_, fields, body, status) => {
    const { id, path, token } = await service.addAutomation()
    const { answer } = await talk(server.port, [head(path, token, json, ...fields) + body], answered)
    expect(firstStatus(answer)).toBe(status)
    expect(service.payloadsOf(id)).toHaveLength(status === 200 ? 1 : 0)
  })

  it("W6: never unpacks a compressed body", async () => {
    const { path, token } = await service.addAutomation()
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const before = process.memoryUsage().rss
    const { answer } = await talk(
      server.port,
      [head(path, token, json, "Content-Encoding: gzip", `Content-Length: ${bomb.length}`), bomb],
      answered
    )
    expect(firstStatus(answer)).toBe(400)
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024)
  })

  it("W7: answers 408 to a head that dawdles, and closes", async () => {
    const { answer, closed } = await talk(server.port, ["POST / HTTP/1.1\r\nHost: x\r\n", 200, "X-A: b\r\n", 200, "X-B: c\r\n"])
    expect(firstStatus(answer)).toBe(408)
    expect(JSON.parse(answer.split("\r\n\r\n")[1]!).error.code).toBe("TIMEOUT")
    expect(closed).toBe(true)
  })

  it("W7: answers 408 to a body that drips, starts no run, and closes", async () => {
    const { id, path, token } = await service.addAutomation()
    const { answer, closed } = await talk(server.port, [
      head(path, token, json, "Content-Length: 20"), 200, "[", 200, "1", 200, ",", 200, "2"
    ])
    expect(firstStatus(answer)).toBe(408)
    expect(closed).toBe(true)
    expect(service.payloadsOf(id)).toEqual([])
  })

  it("starts no run when the client leaves in the middle of the body", async () => {
    const { id, path, token } = await service.addAutomation()
    await talk(server.port, [head(path, token, json, "Content-Length: 20"), "{}"], { untilMillis: 100 })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(service.payloadsOf(id)).toEqual([])
  })

  it("gives leave to send a body only when it means to read it", async () => {
    const { id, path, token } = await service.addAutomation()
    const expectation = (length: number) => head(path, token, json, "Expect: 100-continue", `Content-Length: ${length}`)
    const refused = await talk(server.port, [expectation(2_000_000)], answered)
    expect(statusesOf(refused.answer)).toEqual([413])
    const invited = await talk(server.port, [expectation(2), 100, "{}"], { until: (answer) => answer.includes("runId") })
    expect(statusesOf(invited.answer)).toEqual([100, 200])
    expect(service.payloadsOf(id)).toHaveLength(1)
  })

  it("answers a head over 16 KiB with 431", async () => {
    const { answer } = await talk(server.port, [`GET / HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`])
    expect(firstStatus(answer)).toBe(431)
    expect(JSON.parse(answer.split("\r\n\r\n")[1]!).error.code).toBe("INVALID_REQUEST")
  })

  it("serves others while many connections dawdle", async () => {
    const { path, token } = await service.addAutomation()
    const slow = Array.from({ length: 200 }, () => talk(server.port, ["POST / HTTP/1.1\r\n"]))
    const started = performance.now()
    const response = await fetch(server.url + path, { method: "POST", headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    expect(performance.now() - started).toBeLessThan(1000)
    await Promise.all(slow)
  })
})
