import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import type { Answers } from "../src/cli/answers.ts"
import { coppice } from "../src/demo/child.ts"
import { environmentOf, furnish, runOf, scratchForTest, typed } from "./service.ts"

const slow = { timeout: 120_000 }
const nowhere = { ...process.env, COPPICE_HOME: "/nonexistent/coppice" }

describe("a command line that there is not", () => {
  test.each([
    [[], "Usage: npm run coppice"],
    [["user"], "There is no command \"user\""],
    [["keys"], "there is keys create, keys list, keys revoke"],
    [["keys", "create"], "--name is missing"],
    [["keys", "create", "--name", "a", "--colour", "red"], "Unknown option '--colour'"],
    [["keys", "create", "--name", "a", "--expires-in", "soon"], "--expires-in takes a number with m, h, d or w"],
    [["keys", "create", "--name", "a", "--access", "write"], "--access takes read or full"],
    [["keys", "list", "all"], "\"all\" is one argument too many"],
    [["projects", "add"], "PATH is missing"],
    [["projects", "add", ".", "--setup", "npm ci"], "--setup takes a JSON array of strings"],
    [["automations", "create", "--name", "a", "--project", "p", "--agent", "a"], "Give either --prompt TEXT or --prompt-file FILE"],
    [
      ["automations", "create", "--name", "a", "--project", "p", "--agent", "a", "--prompt", "x", "--timeout-seconds", "long"],
      "--timeout-seconds takes a whole number"
    ],
    [["tasks", "create"], "--title is missing"],
    [["tasks", "create", "--title", "a", "--estimate", "much"], "--estimate takes a number"],
    [["tasks", "update", "a", "--clear", "title"], "--clear takes one of assignee, estimate, due, labels"],
    [["automations", "run", "a", "--payload", "{a:1}"], "--payload takes a JSON object or array"]
  ])("%j ends with 2", async (args, message) => {
    expect(await coppice(nowhere, args)).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(message) })
  })

  test("is one JSON document too", async () => {
    const { code, stdout } = await coppice(nowhere, ["keys", "create", "--json"])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "INVALID_REQUEST" } })
  })

  test("is explained by help", async () => {
    expect(await coppice(nowhere, ["help"])).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("runs logs RUN") })
    expect(await coppice(nowhere, ["runs", "logs", "--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("--follow") })
  })
})

describe("without a server", slow, () => {
  test("commands do the work themselves", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const nobody = await coppice(env, ["projects", "list"])
    expect(nobody).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("There is no user yet.\n  Create the first one: ") })
    const automation = await furnish(env, scratch, "scribe")
    const run = await runOf(env, automation)
    expect(run).toMatchObject({ status: "queued", trigger: "manual" })
    expect(await coppice(env, ["runs", "logs", run.id, "--follow"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The run is queued, and no server is running")
    })
    expect((await typed<Answers["runs_cancel"]>(env, "runs", "cancel", run.id)).run.status).toBe("cancelled")
    expect((await coppice(env, ["runs", "logs", run.id])).stdout).toBe("[cancelled]\n")
    expect(existsSync(join(scratch.home, "presence.json"))).toBe(false)
  })

  test("tasks are created, listed, shown, changed and deleted", async () => {
    const env = environmentOf(await scratchForTest())
    await typed(env, "users", "create", "--email", "ann@example.com")
    const { task } = await typed<Answers["tasks_create"]>(env, "tasks", "create", "--title", "Fix the login", "--estimate", "0.5",
      "--assignee", "ann@example.com", "--status", "Todo", "--label", "web", "--label", "bug")
    expect(task).toMatchObject({ title: "Fix the login", estimate: 0.5, labels: ["web", "bug"] })
    const { task: changed } = await typed<Answers["tasks_update"]>(env, "tasks", "update", task.slug, "--priority", "high",
      "--due", "2026-12-24T18:00:00Z", "--clear", "estimate", "--clear", "labels")
    expect(changed).toMatchObject({ priority: "high", dueAt: "2026-12-24T18:00:00.000Z", labels: [], assigneeId: task.assigneeId })
    expect(changed.estimate).toBeUndefined()
    const listed = await coppice(env, ["tasks", "list", "--status", "Todo", "--search", "LOGIN"])
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(`^SLUG .*\n${task.slug} +Todo +high +.* Fix the login\n$`) })
    expect((await coppice(env, ["tasks", "show", task.slug])).stdout).toMatch(/^status +Todo$/m)
    expect(await coppice(env, ["tasks", "delete", task.slug])).toMatchObject({ code: 0 })
    expect(await typed(env, "tasks", "list")).toEqual({ tasks: [] })
  })

  test("keys are made for reading or for some projects, and their list says so", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    await typed(env, "users", "create", "--email", "ann@example.com")
    const { project } = await typed<Answers["projects_create"]>(env, "projects", "add", scratch.repository)
    const made = await coppice(env, ["keys", "create", "--name", "ci", "--access", "read", "--project", project.name, "--project", project.id])
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(`(read access, projects: ${project.name}, active)`) })
    await typed(env, "keys", "create", "--name", "laptop")
    const { apiKeys } = await typed<Answers["keys_list"]>(env, "keys", "list")
    expect(apiKeys.map(({ access, name, projectIds }) => ({ access, name, projectIds }))).toEqual([
      { access: "full", name: "laptop", projectIds: undefined },
      { access: "read", name: "ci", projectIds: [project.id] }
    ])
    const { stdout } = await coppice(env, ["keys", "list"])
    expect(stdout).toMatch(/^ID +NAME +ACCESS +PROJECTS +LAST USED +CREATED +STATE$/m)
    expect(stdout).toMatch(new RegExp(`^\\S+ +ci +read +${project.name} +never +.* active$`, "m"))
    expect(stdout).toMatch(/^\S+ +laptop +full +all +never +.* active$/m)
    expect(await coppice(env, ["keys", "create", "--name", "lost", "--project", "nowhere"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No project \"nowhere\"")
    })
  })

  test("two at once take turns", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const answers = await Promise.all(["ann", "bob"].map((name) =>
      typed<Answers["users_create"]>(env, "users", "create", "--email", `${name}@example.com`)))
    expect(answers.map(({ member }) => member.role).toSorted()).toEqual(["member", "owner"])
  })

  test("doctor says what is broken, and fails", async () => {
    const scratch = await scratchForTest({ agents: [{ id: "ghost", command: ["no-such-program"], prompt: "stdin" }] })
    const env = environmentOf(scratch)
    const sick = await coppice(env, ["doctor"])
    expect(sick).toMatchObject({ code: 1, stdout: expect.stringMatching(/^agent ghost +BROKEN +.*no-such-program/m) })
    expect(sick.stdout).toMatch(/^server +note +is not running/m)
    scratch.writeConfig({ agent: [] })
    const { code, stdout } = await coppice(env, ["doctor", "--json"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      checks: expect.arrayContaining([expect.objectContaining({ name: "configuration", state: "broken" })])
    })
  })
})

test("`npm run coppice` hands every argument on as it was typed", slow, async () => {
  const scratch = await scratchForTest()
  const name = `it's "quoted" $HOME \`x\` \\ *`
  const root = fileURLToPath(new URL("../../..", import.meta.url))
  const args = ["run", "coppice", "--", "users", "create", "--email", "ann@example.com", "--name", name, "--json"]
  const stdout = await new Promise<string>((resolve, reject) =>
    execFile("npm", args, { cwd: root, env: environmentOf(scratch) }, (error, stdout) => error === null ? resolve(stdout) : reject(error)))
  expect(JSON.parse(stdout)).toMatchObject({ user: { name } })
})
