import {
  agentSessionLifecycle,
  AgentSessionStatus,
  automationLifecycle,
  AutomationStatus,
  hostLifecycle,
  HostStatus,
  isFinal,
  type Lifecycle,
  mayMove,
  move,
  runLifecycle,
  RunStatus,
  sourcesOf,
  workspaceLifecycle,
  WorkspaceStatus
} from "@coppice/core"
import { Result } from "effect"
import { assert, describe, it } from "vitest"

const lifecycles: Record<string, readonly [Lifecycle<string>, ReadonlyArray<string>, ReadonlyArray<string>]> = {
  host: [hostLifecycle, HostStatus.literals, []],
  workspace: [workspaceLifecycle, WorkspaceStatus.literals, ["deleted"]],
  "agent session": [agentSessionLifecycle, AgentSessionStatus.literals, ["completed", "failed", "cancelled"]],
  automation: [automationLifecycle, AutomationStatus.literals, []],
  run: [runLifecycle, RunStatus.literals, ["succeeded", "failed", "cancelled"]]
}

for (const [noun, [lifecycle, statuses, final]] of Object.entries(lifecycles)) {
  describe(`the lifecycle of a ${noun}`, () => {
    it("has a row for every status, and names no other", () => {
      assert.sameMembers(Object.keys(lifecycle), [...statuses])
      for (const to of Object.values(lifecycle).flat()) assert.include(statuses, to)
    })

    it("moves from one status to another exactly where the table says so", () => {
      for (const from of statuses) {
        for (const to of statuses) {
          const listed = lifecycle[from]!.includes(to)
          const moved = move(lifecycle, from, to)
          assert.strictEqual(Result.isSuccess(moved), listed, `${from} to ${to}`)
          assert.strictEqual(Result.isSuccess(moved) ? moved.success : to, to)
          assert.strictEqual(mayMove(lifecycle, from, to), listed)
          assert.strictEqual(sourcesOf(lifecycle, to).includes(from), listed)
        }
      }
    })

    it("says of a refused move what would be possible", () => {
      for (const from of statuses) {
        const refused = move(lifecycle, from, from)
        if (Result.isSuccess(refused)) continue
        assert.include(refused.failure.hint, lifecycle[from]!.length === 0 ? "final" : lifecycle[from]![0])
      }
    })

    it("ends where it should", () => {
      assert.sameMembers(statuses.filter((status) => isFinal(lifecycle, status)), [...final])
    })
  })
}
