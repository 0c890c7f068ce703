import { existsSync, readdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { maxAttempts } from "./policy.ts"
import type { Site } from "./site.ts"

const foldersIn = (folder: string): ReadonlyArray<string> => existsSync(folder) ? readdirSync(folder) : []

/** Every folder under `worktrees` belongs to a workspace that is ready, Git sees the same, and so do the host's records. */
const expectWorktreesOnRecord = async (site: Site) => {
  const { git, home, repository } = site.scratch
  const root = join(realpathSync(home), "worktrees")
  const folders = foldersIn(root).flatMap((project) => foldersIn(join(root, project)).map((name) => join(root, project, name)))
  const workspaces = (await site.allWorkspaces()).filter(({ path }) => path === undefined || path.startsWith(root))
  const ready = workspaces.filter(({ status }) => status === "ready")
  expect(workspaces.filter(({ status }) => !["ready", "failed", "deleted"].includes(status))).toEqual([])
  expect(folders.toSorted()).toEqual(ready.map(({ path }) => path).toSorted())
  const listed = git("worktree", "list", "--porcelain").split("\n").flatMap((line) => /^worktree (.*)$/.exec(line)?.[1] ?? [])
  expect(listed.filter((path) => path !== realpathSync(repository)).toSorted()).toEqual(folders.toSorted())
  expect(git("worktree", "prune", "--dry-run")).toBe("")
  const branches = git("for-each-ref", "--format=%(refname:short)", "refs/heads/coppice").split("\n").filter((name) => name !== "")
  expect(branches.toSorted()).toEqual(ready.map(({ branch }) => branch).toSorted())
  expect(git("for-each-ref", "refs/coppice")).toBe("")
  expect(foldersIn(join(home, "worktree-records")).toSorted()).toEqual(ready.map(({ id }) => `${id}.json`).toSorted())
}

/** Each 200 has one run, and only a request that was not answered with anything else may have one without. */
const expectOneRunForEachAnswer = (site: Site, runIds: ReadonlyArray<string>) => {
  const { deliveries } = site.client
  const accepted = deliveries.filter(({ status }) => status === 200)
  const stored = new Set(runIds)
  expect(stored.size).toBe(runIds.length)
  expect(accepted.filter(({ runId }) => !stored.has(runId!)), "answered with 200 and not there").toEqual([])
  expect(new Set(accepted.map(({ runId }) => runId)).size).toBe(accepted.length)
  const unknown = deliveries.filter(({ status }) => status === undefined || status === 503).length
  expect(runIds.length - accepted.length, "runs that nobody was told of").toBeLessThanOrEqual(unknown)
  const expected = new Map(accepted.map(({ n, runId }) => [n, runId]))
  const prompts = site.lines().filter(({ what }) => what === "prompt")
  for (const { n, run } of prompts) if (expected.has(n!)) expect(run).toBe(expected.get(n!))
}

/** Old workspaces are tidied away after a run has ended: what is just being removed is looked at again. */
const soon = async (check: () => Promise<void>) => {
  for (let tries = 0; tries < 50; tries++) {
    try {
      return await check()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  return check()
}

/**
 * What has to be so once every run has ended, whatever was done to the server before. `automationId` leaves out what
 * another server on the same database does.
 */
export const expectSoundAftermath = async (
  site: Site,
  { automationId, forMillis }: { readonly automationId?: string; readonly forMillis?: number } = {}
) => {
  const all = await site.settled(forMillis)
  const runs = all.filter((run) => automationId === undefined || run.automationId === automationId)
  expectOneRunForEachAnswer(site, runs.map(({ id }) => id))
  const lines = site.lines()
  for (const run of runs) {
    expect(run.attempt).toBeLessThanOrEqual(maxAttempts)
    if (run.status === "failed") expect(run).toMatchObject({ attempt: maxAttempts, failure: { reason: "host_lost" } })
    else expect(run.status).toBe("succeeded")
    if (run.status === "succeeded") {
      expect(lines.some(({ how, run: of }) => of === run.id && how === "done"), `an agent has done ${run.id}`).toBe(true)
    }
    const { events } = await site.call("runs_events", { runId: run.id, limit: 1000 })
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, place) => place + 1))
    expect(events.filter(({ status }) => status === "succeeded" || status === "failed").length).toBeLessThanOrEqual(1)
  }
  expect(lines.filter(({ others }) => (others ?? []).length > 0), "agents that started beside another attempt's").toEqual([])
  expect(site.watch.scan(), "processes that are left").toEqual([])
  expect(site.watch.violations()).toEqual([])
  expect(foldersIn(join(site.scratch.home, "processes"))).toEqual([])
  await soon(() => expectWorktreesOnRecord(site))
  return runs
}
