import { Effect, Fiber, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { node, text, withAgents } from "./agents.ts"
import { sessionId, until } from "./sandbox.ts"

describe("output", () => {
  it("comes to several readers, each from where it asks, across the borders of characters", async () => {
    const script = `const bytes = Buffer.from("é☃😀".repeat(50)); let i = 0; const step = () => { if (i < bytes.length) { process.stdout.write(bytes.subarray(i, ++i), () => setImmediate(step)) } }; step()`
    const world = await withAgents([{ id: "bytes", command: [node, "-e", script], prompt: "stdin" }])
    const request = world.launch("bytes")
    await world.start(request)
    const readers = await Promise.all([0, 0, 1].map((after) => world.watch(request.sessionId, after)))
    expect(text(readers[0]!)).toBe("é☃😀".repeat(50))
    expect(readers[1]).toEqual(readers[0])
    expect(readers[2]).toEqual(readers[0]!.slice(1))
    expect(readers[0]!.map(({ sequence }) => sequence)).toEqual(readers[0]!.map((_, index) => index + 1))
    expect(await world.watch(request.sessionId, readers[0]!.length)).toEqual([])
    expect(await world.watch(sessionId())).toEqual([])
  })

  it("beyond the ring is dropped with a note, and is in the transcript up to its bound", async () => {
    const world = await withAgents(
      [{ id: "much", command: [node, "-e", "for (let i = 0; i < 3000; i++) process.stdout.write(String(i).padEnd(999, '.') + '\\n')"], prompt: "stdin" }],
      { outputRingBytes: 512 * 1024, transcriptBytes: 2_000_000 }
    )
    const request = world.launch("much")
    await world.start(request)
    await until(async () => readdirSync(join(world.home, "processes")).length === 0)
    const events = await world.watch(request.sessionId)
    expect(events[0]).toMatchObject({ _tag: "Dropped" })
    const dropped = events[0]!._tag === "Dropped" ? events[0]!.bytes : 0
    expect(dropped + text(events).length).toBe(3_000_000)
    expect(text(events).length).toBeLessThanOrEqual(512 * 1024)
    expect(text(events)).toMatch(/2999\.+\n$/)
    expect(events[1]!.sequence).toBe(events[0]!.sequence + 1)
    const transcript = readFileSync(join(world.home, "transcripts", `${request.sessionId}.log`), "utf8")
    expect(transcript.length).toBeLessThan(2_000_200)
    expect(transcript).toMatch(/the transcript ends here/)
  })

  it("is not held up by a reader that does not read, nor kept for one that went away", async () => {
    const world = await withAgents([{ id: "much", command: ["sh", "-c", "head -c 30000000 /dev/zero | tr '\\0' x; echo end"], prompt: "stdin" }])
    const request = world.launch("much")
    await world.start(request)
    const slow = Effect.runFork(Stream.runForEach(world.agentLauncher.watch(request.sessionId, 0), () => Effect.never))
    await until(() => readdirSync(join(world.home, "processes")).length === 0)
    expect(text(await world.watch(request.sessionId))).toMatch(/xend\n$/)
    await Effect.runPromise(Fiber.interrupt(slow))
  })

  it("of old sessions is let go", async () => {
    const world = await withAgents([{ id: "echo", command: ["echo", "hello"], prompt: "stdin" }], { endedSessions: 1 })
    const first = world.launch("echo")
    await world.start(first)
    expect(text(await world.watch(first.sessionId))).toBe("hello\n")
    const second = await world.run("echo")
    expect(text(second)).toBe("hello\n")
    expect(await world.watch(first.sessionId)).toEqual([])
  })
})
