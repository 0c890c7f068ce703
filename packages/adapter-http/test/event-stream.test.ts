import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { watched } from "../src/mcp/event-stream.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

const text = new TextDecoder()
const bytes = new TextEncoder()

/** A stream that says what it is told to, and how it ended as far as who serves it knows. */
const begin = (maxSilenceMillis?: number) => {
  const over: Array<string> = []
  let source!: ReadableStreamDefaultController<Uint8Array>
  const reader = watched(
    new ReadableStream({ start: (controller) => void (source = controller) }),
    (how) => void over.push(how),
    maxSilenceMillis
  ).getReader()
  const next = async () => {
    const { value } = await reader.read()
    return value && text.decode(value)
  }
  return { next, over, reader, source, say: (line: string) => source.enqueue(bytes.encode(line)) }
}

it("breaks a silence whenever it has lasted for so long, and passes everything on", async () => {
  const { next, over, say, source } = begin(15_000)
  for (let silence = 0; silence < 3; silence++) {
    const broken = next()
    await vi.advanceTimersByTimeAsync(14_999)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await broken).toBe(": keep-alive\n\n")
  }
  const heard = next()
  await vi.advanceTimersByTimeAsync(14_999)
  say("a")
  expect(await heard).toBe("a")
  expect(vi.getTimerCount()).toBe(0)
  say("b")
  say("c")
  expect([await next(), await next()]).toEqual(["b", "c"])
  const last = next()
  await vi.advanceTimersByTimeAsync(14_999)
  source.close()
  expect(await last).toBeUndefined()
  expect([over, vi.getTimerCount()]).toEqual([["ended"], 0])
})

it("says nothing by itself where it is not asked to", async () => {
  const { next, say } = begin()
  const heard = next()
  expect(vi.getTimerCount()).toBe(0)
  say("a")
  expect(await heard).toBe("a")
})

it("tells once who is left, and leaves no timer", async () => {
  const { over, reader, next } = begin(15_000)
  const heard = next()
  await vi.advanceTimersByTimeAsync(1)
  expect(vi.getTimerCount()).toBe(1)
  await reader.cancel()
  expect(await heard).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect([over, vi.getTimerCount()]).toEqual([["left"], 0])
})

it("fails as its source does", async () => {
  const { next, source } = begin(15_000)
  const heard = next()
  source.error(new Error("gone"))
  await expect(heard).rejects.toThrow("gone")
  expect(vi.getTimerCount()).toBe(0)
})
