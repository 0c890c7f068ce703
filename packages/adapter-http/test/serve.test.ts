import type { CurrentPrincipal, Tool } from "@coppice/core"
import { Deferred, Effect } from "effect"
import { Agent, get } from "node:http"
import { expect, it } from "vitest"
import { serveHttp } from "../src/index.ts"
import { statusesOf, talk } from "./support/raw-socket.ts"
import { makeService, testTool } from "./support/service.ts"

const call = (name: string) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } })

const started = async (tools: ReadonlyArray<Tool<CurrentPrincipal>>) => {
  const service = await makeService({ tools })
  const server = await serveHttp(service.app, { host: "127.0.0.1", port: 0 })
  const { key } = await service.addKey()
  const post = (name: string, signal?: AbortSignal) =>
    fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: call(name),
      ...(signal === undefined ? {} : { signal })
    })
  return { ...service, server, post }
}

const waiting = () => {
  const begun = Deferred.makeUnsafe<void>()
  const ended = Deferred.makeUnsafe<void>()
  const go = Deferred.makeUnsafe<void>()
  const tool = testTool("wait", () =>
    Deferred.succeed(begun, undefined).pipe(
      Effect.andThen(Deferred.await(go)),
      Effect.as({ done: true }),
      Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
    ))
  return { begun, ended, go, tool }
}

it("rejects when the port is taken", async () => {
  const { app, server } = await started([])
  await expect(serveHttp((await makeService()).app, { host: "127.0.0.1", port: server.port })).rejects.toThrow("EADDRINUSE")
  await server.close()
  void app
})

it("stops at once while connections are merely kept alive", async () => {
  const { server } = await started([])
  const agent = new Agent({ keepAlive: true })
  await new Promise<void>((resolve) => get(`${server.url}/healthz`, { agent }, (res) => res.resume().on("end", resolve)))
  const before = performance.now()
  await server.close()
  expect(performance.now() - before).toBeLessThan(500)
  agent.destroy()
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
})

it("keeps nothing of the early answers that a connection has had", async () => {
  const { server } = await started([])
  const warnings: Array<string> = []
  const note = (warning: Error) => void warnings.push(warning.name)
  process.on("warning", note)
  const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
  const parts = Array.from({ length: 15 }, () => [head, 10, "late", 5]).flat()
  const { answer } = await talk(server.port, parts, { untilMillis: 1500 })
  process.off("warning", note)
  expect(statusesOf(answer)).toEqual(Array.from({ length: 15 }, () => 401))
  expect(warnings).toEqual([])
  await server.close()
})

it("lets what is being answered end before it stops", async () => {
  const { begun, go, tool } = waiting()
  const { post, server } = await started([tool])
  const answer = post("wait")
  await Effect.runPromise(Deferred.await(begun))
  const closing = server.close()
  await Effect.runPromise(Deferred.succeed(go, undefined))
  expect((await (await answer).json() as { result: object }).result).toMatchObject({ structuredContent: { done: true } })
  const before = performance.now()
  await closing
  expect(performance.now() - before).toBeLessThan(500)
})

it("cuts off what does not end within the bound, and interrupts it", async () => {
  const { begun, ended, tool } = waiting()
  const { post, server } = await started([tool])
  const answer = post("wait").catch(() => "cut")
  await Effect.runPromise(Deferred.await(begun))
  const before = performance.now()
  await server.close({ graceMillis: 100 })
  expect(performance.now() - before).toBeLessThan(600)
  expect(await answer).toBe("cut")
  await Effect.runPromise(Deferred.await(ended).pipe(Effect.timeout("1 second")))
})

it("interrupts a tool whose client went away", async () => {
  const { begun, ended, tool } = waiting()
  const { post, server } = await started([tool])
  const gone = new AbortController()
  const answer = post("wait", gone.signal).catch(() => "aborted")
  await Effect.runPromise(Deferred.await(begun))
  gone.abort()
  expect(await answer).toBe("aborted")
  await Effect.runPromise(Deferred.await(ended).pipe(Effect.timeout("1 second")))
  await server.close()
})
