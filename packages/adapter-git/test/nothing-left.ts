import type { Setup } from "@coppice/core"
import { Stream } from "effect"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import type { Sandbox } from "./sandbox.ts"
import { failureOf } from "./sandbox.ts"

/** What a creation must leave behind when it does not come to its end: nothing. */
export const expectNothingLeft = ({ git, home }: Sandbox, path: string) => {
  expect(git(path, "worktree", "list").split("\n")).toHaveLength(1)
  expect(git(path, "branch", "--list", "coppice/*")).toBe("")
  expect(readdirSync(join(home, "worktree-records"))).toEqual([])
  expect(readdirSync(join(home, "git"))).toEqual([])
  expect(readdirSync(join(home, "processes"))).toEqual([])
  for (const project of readdirSync(join(home, "worktrees"))) expect(readdirSync(join(home, "worktrees", project))).toEqual([])
}

/** How a creation fails. */
export const refused = async (world: Sandbox, given: Parameters<Sandbox["request"]>[1], path = world.repository()) =>
  failureOf(Stream.runCollect(world.host.worktrees.create(world.request(path, given))))

export const setup = (...commands: ReadonlyArray<ReadonlyArray<string>>): Setup => ({ commands })
