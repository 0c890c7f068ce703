import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Answers } from "../src/cli/answers.ts"
import { coppice, startServer } from "../src/demo/child.ts"
import { callTool } from "../src/demo/mcp.ts"
import { environmentOf, furnish, readResource, runOf, scratchForTest, serverForTest, typed } from "./service.ts"

const slow = { timeout: 120_000 }

const mode = (path: string): number => statSync(path).mode & 0o777

describe("the server", slow, () => {
  test("does a webhook's run, and shows what came of it by MCP and at the machine", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const server = await serverForTest(env)
    const setup = /^ {2}http:\S+\/setup\?token=(coppice_su_\w{49})$/m.exec(server.output())?.[1]
    expect(server.output()).toBe(
      `Coppice is ready at ${server.url}\nThere is no user yet. Open this link to set the service up; it works once:\n  ${server.url}/setup?token=${setup}\n`
        + "Or create the first user here:\n  npm run coppice -- users create --email you@example.com\n"
    )
    expect(mode(join(scratch.home, "admin.sock"))).toBe(0o600)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)

    const refused = await coppice(env, ["users", "create", "--email", "nobody", "--json"])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("email: expected an e-mail address") })
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: "INVALID_REQUEST" } })
    const automation = await furnish(env, scratch, "scribe")
    const { id, key } = await typed<{ readonly id: string; readonly key: string }>(env, "keys", "create", "--name", "ci")
    const first = await typed<{ readonly url: string; readonly token: string }>(env, "automations", "webhook-token", "scribe")
    const { token, url } = await typed<typeof first>(env, "automations", "webhook-token", "scribe")
    expect(url).toBe(`${server.url}/api/automations/webhook/${automation.id}`)
    const send = (token: string) =>
      fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ file: "a.txt", content: "one\ntwo\n" })
      })
    expect((await send(first.token)).status).toBe(401)
    const { runId } = await (await send(token)).json() as { readonly runId: string }

    const { run } = await callTool(server.url, key, "runs_wait", { runId })
    expect(run).toMatchObject({ status: "succeeded", trigger: "webhook", exitCode: 0 })
    const { diff } = await callTool(server.url, key, "workspaces_diff", { workspaceId: run.workspaceId })
    expect(diff.files).toEqual([{ path: "a.txt", change: "added", addedLines: 2, deletedLines: 0 }])

    expect((await coppice(env, ["runs", "logs", runId])).stdout).toContain("wrote a.txt as the webhook asked\n")
    expect((await coppice(env, ["runs", "diff", runId])).stdout).toMatch(/^A +\+2 -0 +a\.txt$/m)
    expect((await coppice(env, ["runs", "diff", runId, "--patch"])).stdout).toContain("\n+two\n")
    expect((await coppice(env, ["runs", "list"])).stdout).toMatch(new RegExp(`^${runId}  succeeded  webhook `, "m"))
    expect(await coppice(env, ["doctor"])).toMatchObject({ code: 0, stdout: expect.stringContaining(`answers at ${server.url}`) })

    const reader = await typed<{ readonly key: string }>(env, "keys", "create", "--name", "reader", "--access", "read")
    expect((await callTool(server.url, reader.key, "runs_list", {})).runs).toHaveLength(1)
    await expect(callTool(server.url, reader.key, "runs_retry", { runId })).rejects.toThrow("This credential may only read.")
    expect((await coppice(env, ["keys", "list"])).stdout).toMatch(/ reader +read +all +0 s ago /)
    for (const [uri, part] of [
      [`runs/${runId}`, `"status": "succeeded"`],
      [`runs/${runId}/payload`, `"content":"one\\ntwo\\n"`],
      [`runs/${runId}/transcript`, "wrote a.txt as the webhook asked\n"],
      [`workspaces/${run.workspaceId}/diff`, "\n+two\n"]
    ] as const) {
      expect(await readResource(server.url, key, `coppice://${uri}`)).toContain(part)
    }

    await typed(env, "keys", "revoke", id)
    await expect(callTool(server.url, key, "hosts_list" as "runs_list", {})).rejects.toThrow("401")

    expect(await server.stop()).toBe(0)
    for (const secret of [key, token, first.token]) expect(server.output()).not.toContain(secret)
    expect(server.output()).toMatch(/\n\{"message":"Stopping".*\}\n$/)
  })

  test("is the only one in its data folder, and says who is there", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const server = await serverForTest(env)
    await expect(startServer(env)).rejects.toThrow(`is in use by process ${server.process.pid}`)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    await server.stop("SIGKILL")
    expect(existsSync(join(scratch.home, "presence.json"))).toBe(true)
    expect((await typed<Answers["projects_list"]>(env, "users", "create", "--email", "ann@example.com"))).toMatchObject({
      member: { role: "owner" }
    })
    expect(await (await serverForTest(env)).stop()).toBe(0)
  })

  test("makes the first owner that its environment names, once", async () => {
    const scratch = await scratchForTest()
    const env = { ...environmentOf(scratch), COPPICE_ADMIN_EMAIL: "Ann@example.com" }
    const server = await serverForTest(env)
    expect(server.output()).toMatch(/^The owner has no password yet\..*\n {2}http:\S+\/join\?token=coppice_iv_\w{49}\n$/m)
    const { member } = await typed<Answers["users_create"]>(env, "users", "create", "--email", "bob@example.com", "--role", "admin")
    expect(member.role).toBe("admin")
    await server.stop()
    const again = await serverForTest(env)
    expect(again.output()).toBe(`Coppice is ready at ${again.url}\n`)
    await typed(env, "keys", "create", "--name", "hers", "--user", "ann@example.com")
    await again.stop()
  })

  test("follows a run as it goes, and cancels it", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    await serverForTest(env)
    const run = await runOf(env, await furnish(env, scratch, "patient"))
    const following = coppice(env, ["runs", "logs", run.id, "--follow"])
    const cancelled = await coppice(env, ["runs", "cancel", run.id])
    expect(cancelled).toMatchObject({ code: 0 })
    expect(await following).toMatchObject({ code: 0, stdout: expect.stringMatching(/\[cancelled\]\n$/) })
    expect(await coppice(env, ["runs", "cancel", run.id])).toMatchObject({ code: 0 })
    const retry = await typed<Answers["runs_retry"]>(env, "runs", "retry", run.id)
    expect(retry.run.retryOf).toBe(run.id)
  })
})

describe("a server that cannot start says why in one line", slow, () => {
  const start = async (env: NodeJS.ProcessEnv, change: NodeJS.ProcessEnv): Promise<string> => {
    const error = await startServer({ ...env, ...change }).then(() => undefined, (error: Error) => error)
    expect(error?.message).toMatch(/^The server ended with code 1 before it was ready:\n/)
    expect(error?.message).not.toMatch(/\n +at /)
    return error!.message
  }

  test("when something is amiss around it", async () => {
    const scratch = await scratchForTest()
    const env = environmentOf(scratch)
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const { port } = other.address() as { readonly port: number }
    expect(await start(env, { PORT: String(port) })).toContain(`Port ${port} on 127.0.0.1 is in use by another program.`)
    other.close()
    expect(await start(env, { HOST: "192.0.2.1", COPPICE_INSECURE_HTTP: "1" })).toContain("192.0.2.1 is no address of this machine.")
    const unreachable = await start(env, { DATABASE_URL: `postgres://ann:sesame@127.0.0.1:${port}/x` })
    expect(unreachable).toContain("PostgreSQL cannot be used: connect ECONNREFUSED")
    expect(unreachable).not.toContain("sesame")
    expect(await start(env, { PATH: scratch.folder })).toContain("git was not found.\n  Install git 2.36 or newer")
    const old = join(scratch.folder, "git")
    writeFileSync(old, "#!/bin/sh\necho git version 2.35.9\n", { mode: 0o755 })
    expect(await start(env, { PATH: scratch.folder })).toContain("git version 2.35.9 is too old: its worktrees are not safe enough.")
    expect(await start(env, { PORT: "many" })).toContain("PORT: expected a port, 0 to 65535")
    expect(await start(env, { COPPICE_HOME: join(scratch.repository, "README.md") })).toContain("cannot be used: EEXIST")
    expect(readFileSync(join(scratch.repository, "README.md"), "utf8")).toBe("# greeter\n")
  })
})
