import type { MachineId } from "@coppice/core"
import { Effect, Stream } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { failureOf, fixture, sandbox, sessionId, soon, uuid } from "./sandbox.ts"

it("takes a prompt through an agent in a worktree to a diff", async () => {
  const { host, repository, request, create } = await sandbox({
    agents: [{ id: "writer", name: "Writer", command: [process.execPath, fixture("write-prompt.mjs")], prompt: "stdin" }]
  })
  const path = repository()
  expect(await Effect.runPromise(host.repositories.inspect(path))).toEqual({ path, defaultBranch: "main" })
  const worktree = await create(request(path))
  const id = sessionId()
  const started = await Effect.runPromise(host.agentLauncher.start({
    sessionId: id,
    workspaceId: worktree.workspaceId,
    agent: "writer",
    directory: worktree.path,
    prompt: new TextEncoder().encode("Say hello"),
    environment: { COPPICE_RUN_ID: "run" },
    deadline: soon()
  }))
  expect(started.pid).toBeGreaterThan(1)
  const events = await Effect.runPromise(Stream.runCollect(host.agentLauncher.watch(id, 0)))
  expect(events.at(-1)).toMatchObject({ _tag: "Exited", exitCode: 0 })
  expect(readFileSync(join(worktree.path, "prompt.txt"), "utf8")).toBe("Say hello")
  writeFileSync(join(worktree.path, "README.md"), "# App\nmore\n")
  const diff = await Effect.runPromise(host.worktrees.diff(worktree, { patch: true, maxPatchBytes: 100_000 }))
  expect(diff.files).toEqual([
    { path: "README.md", change: "modified", addedLines: 1, deletedLines: 0 },
    { path: "prompt.txt", change: "added", addedLines: 1, deletedLines: 0 }
  ])
  expect(diff.patch).toContain("+more")
  expect(diff.patch).toContain("+Say hello")
  await Effect.runPromise(host.agentLauncher.stop(id))
})

it("is the way to its own machine alone", async () => {
  const { gateway } = await sandbox()
  const failure = await failureOf(gateway.connect({ machineId: uuid() as MachineId, name: "elsewhere" }))
  expect(failure).toMatchObject({ _tag: "HostOffline", code: "UNAVAILABLE" })
})
