import { hit, mcpLimit, type Usage, usageOf, webhookLimit, type Window } from "@coppice/core"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { assert, describe } from "vitest"

const limits = Schema.Struct({
  max: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  windowSeconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
})
const waits = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30_000 }))).check(Schema.isMaxLength(50))

const replay = (limit: typeof limits.Type, steps: ReadonlyArray<number>) => {
  const answers: Array<{ readonly now: number; readonly window: Window; readonly usage: Usage }> = []
  let window: Window | undefined
  let now = 1_000
  for (const wait of steps) {
    now += wait
    const [next, usage] = hit(limit, window, now)
    window = next
    answers.push({ now, window, usage })
  }
  return answers
}

describe("a fixed window", () => {
  it.prop("admits exactly max requests of each window", [limits, waits], ([limit, steps]) => {
    const admitted = new Map<number, number>()
    for (const { usage, window } of replay(limit, steps)) {
      if (usage.allowed) admitted.set(window.endsAtMillis, (admitted.get(window.endsAtMillis) ?? 0) + 1)
      assert.isAtMost(admitted.get(window.endsAtMillis) ?? 0, limit.max)
      assert.strictEqual(usage.allowed, window.count <= limit.max)
      assert.strictEqual(usage.remaining, Math.max(0, limit.max - window.count))
    }
  })

  it.prop("opens with its first request, and closes windowSeconds later whatever comes meanwhile", [limits, waits], ([limit, steps]) => {
    let opened = -Infinity
    for (const { now, window } of replay(limit, steps)) {
      if (now >= opened + limit.windowSeconds * 1000) opened = now
      assert.strictEqual(window.endsAtMillis, opened + limit.windowSeconds * 1000)
    }
  })

  it.prop("tells whole seconds to its end, at least one and never too few", [limits, waits], ([limit, steps]) => {
    for (const { now, usage, window } of replay(limit, steps)) {
      assert.isTrue(Number.isInteger(usage.resetSeconds))
      assert.isAtLeast(usage.resetSeconds, 1)
      assert.isAtMost(usage.resetSeconds, limit.windowSeconds)
      assert.isAtLeast(now + usage.resetSeconds * 1000, window.endsAtMillis)
    }
  })

  it("counts in the millisecond before its end, and starts anew on its end", () => {
    const limit = { max: 1, windowSeconds: 2 }
    const [window] = hit(limit, undefined, 0)
    assert.isFalse(hit(limit, window, 1_999)[1].allowed)
    assert.isTrue(hit(limit, window, 2_000)[1].allowed)
    assert.strictEqual(usageOf(limit, window, 1_999).resetSeconds, 1)
    assert.strictEqual(usageOf(limit, window, 0).resetSeconds, 2)
  })

  it("is 600 in 60 seconds for MCP, and 300 in 60 for a webhook", () => {
    assert.deepStrictEqual(mcpLimit, { max: 600, windowSeconds: 60 })
    assert.deepStrictEqual(webhookLimit, { max: 300, windowSeconds: 60 })
  })
})
