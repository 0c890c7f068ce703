import { deepEqual, equal, match } from "node:assert/strict"
import type { Answers } from "./cli/answers.ts"
import { coppice, startServer } from "./demo/child.ts"
import { callTool } from "./demo/mcp.ts"
import { makeScratch, scratchEnvironment } from "./demo/scratch.ts"

const scratch = makeScratch()
const env = scratchEnvironment(scratch)
let server: Awaited<ReturnType<typeof startServer>> | undefined

const say = (text: string) => console.log(text)

/** Types a command as the reader would, and answers the document that it prints. */
const type = async <A = unknown>(...args: ReadonlyArray<string>): Promise<A> => {
  say(`$ npm run coppice -- ${args.map((arg) => /^[\w@./:=-]+$/.test(arg) ? arg : `'${arg}'`).join(" ")}`)
  const { code, stderr, stdout } = await coppice(env, [...args, "--json"])
  equal(code, 0, stderr)
  return JSON.parse(stdout) as A
}

const walk = async () => {
  say("1. A service of its own, in a scratch folder")
  server = await startServer(env)
  say(`   ready at ${server.url}\n`)

  say("2. A user, a key, a project, an automation and its webhook")
  await type("users", "create", "--email", "demo@example.com")
  const { key } = await type<{ readonly key: string }>("keys", "create", "--name", "demo")
  const { project } = await type<Answers["projects_create"]>("projects", "add", scratch.repository)
  const { automation } = await type<Answers["automations_create"]>(
    ..."automations create --name greet --agent scribe --project".split(" "), project.name, "--prompt", "Write the file that the data asks for."
  )
  const { token, url } = await type<{ readonly token: string; readonly url: string }>("automations", "webhook-token", automation.name)
  equal(url, `${server.url}/api/automations/webhook/${automation.id}`)

  say("\n3. The webhook, as another service would call it")
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ file: "hello.txt", content: "Hello from a webhook.\n" })
  })
  const accepted = await response.json() as { readonly runId: string; readonly status: string }
  equal(response.status, 200, JSON.stringify(accepted))
  deepEqual(accepted, { runId: accepted.runId, status: "queued" })
  say(`   POST ${url}\n   200 ${JSON.stringify(accepted)}\n`)

  say("4. Its end, by MCP with the API key: runs_wait, then workspaces_diff")
  const { run } = await callTool(server.url, key, "runs_wait", { runId: accepted.runId })
  equal(run.status, "succeeded", JSON.stringify(run))
  const { diff } = await callTool(server.url, key, "workspaces_diff", { workspaceId: run.workspaceId, format: "patch" })
  deepEqual(diff.files, [{ path: "hello.txt", change: "added", addedLines: 1, deletedLines: 0 }])
  match(diff.patch ?? "", /^\+Hello from a webhook\.$/m)
  say(`   the run ${run.id} ${run.status}\n`)

  say("5. The same at the machine")
  for (const args of [["runs", "logs", run.id], ["runs", "diff", run.id, "--patch"]]) {
    say(`$ npm run coppice -- ${args.join(" ")}`)
    const { code, stderr, stdout } = await coppice(env, args)
    equal(code, 0, stderr)
    say(stdout.trimEnd().replace(/^/gm, "   "))
    match(stdout, args[1] === "logs" ? /wrote hello\.txt as the webhook asked/ : /^\+Hello from a webhook\.$/m)
  }
  equal(scratch.git("status", "--porcelain"), "", "the repository's own working tree is untouched")

  say("\n6. The end")
  equal(await server.stop(), 0, server.output())
  say("   the service has stopped, and nothing is left of it")
}

try {
  await walk()
} catch (error) {
  console.error(error)
  console.error(server?.output() ?? "")
  process.exitCode = 1
} finally {
  if (server?.process.exitCode === null) await server.stop("SIGKILL")
  scratch.remove()
}
