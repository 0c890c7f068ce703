import { readFile } from "node:fs/promises"
import { callerPath } from "../caller-path.ts"
import { type Command, type Context, Failed, given, type Input, UsageError } from "../command.ts"
import { relative, table } from "../text.ts"
import { listAll } from "./lists.ts"

const automation = { name: "AUTOMATION", about: "the automation's id or name" }

const promptOf = async (input: Input): Promise<string> => {
  const text = input.text("prompt")
  const file = input.text("prompt-file")
  if ((text === undefined) === (file === undefined)) throw new UsageError("Give either --prompt TEXT or --prompt-file FILE.")
  if (file === undefined) return text!
  return readFile(callerPath(file), "utf8").catch((error: Error) => {
    throw new Failed({ code: "NOT_FOUND", message: `The prompt cannot be read: ${error.message}.` })
  })
}

export const automationsCreate: Command = {
  name: "automations create",
  summary: "Create an automation: a prompt that an agent gets on a project each time it is run",
  options: {
    name: { value: "NAME", required: true, about: "What to call it" },
    project: { value: "PROJECT", required: true, about: "Id or name of the project" },
    agent: { value: "AGENT", required: true, about: "Id of a coding agent from the configuration file" },
    prompt: { value: "TEXT", about: "What the agent is told; the webhook's JSON body follows it, fenced as data" },
    "prompt-file": { value: "FILE", about: "The same from a file" },
    "timeout-seconds": { value: "N", about: "How long an agent may work; 3600 when left out" },
    "max-concurrent-runs": { value: "N", about: "Runs of it at once; no cap of its own when left out" },
    "max-attempts": { value: "N", about: "How often a run is taken up when its host is lost; 2 when left out" },
    "workspace-mode": { value: "fresh|reuse", about: "A workspace for each run (fresh), or one for all of them" }
  },
  run: async ({ input, session }) => {
    const json = await session.call("automations_create", given({
      name: input.text("name"),
      projectId: input.text("project"),
      agent: input.text("agent"),
      prompt: await promptOf(input),
      timeoutSeconds: input.number("timeout-seconds"),
      maxConcurrentRuns: input.number("max-concurrent-runs"),
      maxAttempts: input.number("max-attempts"),
      workspaceMode: input.text("workspace-mode")
    }))
    const { id, name } = json.automation
    return {
      json,
      text: `The automation "${name}" is ${id}.\nNext: npm run coppice -- automations webhook-token ${id}`
    }
  }
}

export const automationsList: Command = {
  name: "automations list",
  summary: "List the automations",
  run: async ({ session }) => {
    const automations = await listAll(session, "automations_list", "automations")
    return {
      json: { automations },
      text: automations.length === 0
        ? "There is no automation. Create one: npm run coppice -- automations create --help"
        : table(["ID", "NAME", "STATE", "AGENT", "CREATED"], automations.map((automation) =>
          [automation.id, automation.name, automation.status, automation.agent, relative(automation.createdAt)]))
    }
  }
}

const change = (verb: "pause" | "resume", summary: string): Command => ({
  name: `automations ${verb}`,
  summary,
  positionals: [automation],
  run: async ({ input, session }) => {
    const json = await session.call(`automations_${verb}`, { automationId: input.positionals[0] })
    return { json, text: `The automation "${json.automation.name}" is ${json.automation.status}.` }
  }
})

export const automationsPause = change("pause", "Pause an automation: webhooks are refused, what is under way goes on")
export const automationsResume = change("resume", "Resume a paused automation")

export const automationsWebhookToken: Command = {
  name: "automations webhook-token",
  summary: "Give an automation a new webhook token; the one before stops working at once",
  positionals: [automation],
  run: async ({ input, session }) => {
    const { token, url } = await session.call("automations_webhook_token", { automationId: input.positionals[0] })
    return {
      json: { url, token },
      text: `${url}\n${token}\n\nThis is the only time that the token is shown. Start a run with it:\n\n` +
        `curl -X POST ${url} \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"hello":"world"}'`
    }
  }
}

const payloadOf = ({ input }: Context): unknown => {
  const text = input.text("payload")
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError("--payload takes a JSON object or array, and what was given is no JSON. Quote it whole, as '{\"a\":1}'.")
  }
}

export const automationsRun: Command = {
  name: "automations run",
  summary: "Start one run by hand",
  positionals: [automation],
  options: { payload: { value: "JSON", about: "What a webhook's body would be; {} when left out" } },
  run: async (context) => {
    const payload = payloadOf(context)
    const json = await context.session.call("automations_run", given({ automationId: context.input.positionals[0], payload }))
    return { json, text: `The run ${json.run.id} is ${json.run.status}.\nNext: npm run coppice -- runs logs ${json.run.id} --follow` }
  }
}
