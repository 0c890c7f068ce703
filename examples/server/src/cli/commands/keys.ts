import { type Command, given, UsageError } from "../command.ts"
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

export const keysCreate: Command = {
  name: "keys create",
  summary: "Issue an API key; it is printed once and kept nowhere",
  options: {
    name: { value: "NAME", required: true, about: "What the key is for" },
    "expires-in": { value: "90d", about: "When it ends: a number with m, h, d or w; never when left out" }
  },
  run: async ({ input, session }) => {
    const expiresAt = expiry(input.text("expires-in"))
    const { apiKey, key } = await session.call("keys_create", given({ name: input.text("name"), expiresAt }))
    return {
      json: { id: apiKey.id, key },
      text: `${key}\n\nThis is the only time that the key "${apiKey.name}" is shown (${state(apiKey)}). Send it as: Authorization: Bearer <key>`
    }
  }
}

export const keysList: Command = {
  name: "keys list",
  summary: "List the API keys of the organization",
  run: async ({ session }) => {
    const apiKeys = await listAll(session, "keys_list", "apiKeys")
    return {
      json: { apiKeys },
      text: apiKeys.length === 0
        ? "There is no API key."
        : table(["ID", "NAME", "CREATED", "STATE"], apiKeys.map((key) => [key.id, key.name, relative(key.createdAt), state(key)]))
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
