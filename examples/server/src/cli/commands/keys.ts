import type { ApiKeyRecord } from "../answers.ts"
import { type Command, given, type Session, UsageError } from "../command.ts"
import { relative, table } from "../text.ts"
import { listAll } from "./lists.ts"

const unitMillis: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const expiry = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  if (count === undefined || unit === undefined || Number(count) === 0) {
    throw new UsageError(`--expires-in takes a number with m, h, d or w, as 90d, and "${text}" is none.`)
  }
  return new Date(Date.now() + Number(count) * unitMillis[unit]!).toISOString()
}

const state = ({ expiresAt, revokedAt }: { readonly revokedAt?: string; readonly expiresAt?: string }): string =>
  revokedAt !== undefined
    ? `revoked ${relative(revokedAt)}`
    : expiresAt === undefined
    ? "active"
    : Date.parse(expiresAt) <= Date.now()
    ? `expired ${relative(expiresAt)}`
    : `expires ${relative(expiresAt)}`

const accessOf = (text: string | undefined): string | undefined => {
  if (text === undefined || text === "read" || text === "full") return text
  throw new UsageError(`--access takes read or full, and "${text}" is neither.`)
}

/** What keys open, for people: projects by their names, or by their ids where they are gone. */
const opener = async (session: Session, keys: ReadonlyArray<ApiKeyRecord>) => {
  const projects = keys.some(({ projectIds }) => projectIds !== undefined)
    ? await listAll(session, "projects_list", "projects")
    : []
  const names = new Map<string, string>(projects.map(({ id, name }) => [id, name]))
  return ({ projectIds }: ApiKeyRecord): string => projectIds?.map((id) => names.get(id) ?? id).join(", ") ?? "all"
}

export const keysCreate: Command = {
  name: "keys create",
  summary: "Issue an API key; it is printed once and kept nowhere",
  options: {
    name: { value: "NAME", required: true, about: "What the key is for" },
    access: { value: "read|full", about: "Looking only, or all that its user may do; full when left out" },
    project: { value: "PROJECT", multiple: true, about: "Id or name of a project that it opens; all projects when left out" },
    "expires-in": { value: "90d", about: "When it ends: a number with m, h, d or w; never when left out" }
  },
  run: async ({ input, session }) => {
    const projects = input.texts("project")
    const { apiKey, key } = await session.call("keys_create", given({
      name: input.text("name"),
      access: accessOf(input.text("access")),
      projectIds: projects.length === 0 ? undefined : projects,
      expiresAt: expiry(input.text("expires-in"))
    }))
    const opens = await opener(session, [apiKey])
    return {
      json: { id: apiKey.id, key },
      text: `${key}\n\nThis is the only time that the key "${apiKey.name}" is shown (${apiKey.access} access, projects: ${opens(apiKey)}, ` +
        `${state(apiKey)}). Send it as: Authorization: Bearer <key>`
    }
  }
}

export const keysList: Command = {
  name: "keys list",
  summary: "List the API keys: to an admin those of the organization, to a member their own",
  run: async ({ session }) => {
    const apiKeys = await listAll(session, "keys_list", "apiKeys")
    if (apiKeys.length === 0) return { json: { apiKeys }, text: "There is no API key." }
    const opens = await opener(session, apiKeys)
    return {
      json: { apiKeys },
      text: table(["ID", "NAME", "ACCESS", "PROJECTS", "LAST USED", "CREATED", "STATE"], apiKeys.map((key) =>
        [key.id, key.name, key.access, opens(key), relative(key.lastUsedAt) ?? "never", relative(key.createdAt), state(key)]))
    }
  }
}

export const keysRevoke: Command = {
  name: "keys revoke",
  summary: "End an API key: the next request with it is refused",
  positionals: [{ name: "KEY", about: "the key's id or name" }],
  run: async ({ input, session }) => {
    const json = await session.call("keys_revoke", { key: input.positionals[0] })
    return { json, text: `The key "${json.apiKey.name}" is revoked.` }
  }
}
