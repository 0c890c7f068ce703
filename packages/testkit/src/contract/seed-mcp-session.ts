import { type McpSession, McpSessionId, type NewMcpSession, now } from "@coppice/core"
import { McpSessionStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { seedHash, type Tenant } from "./seed.ts"

export const day = 24 * 60 * 60 * 1000

export const ownerOf = ({ organization, user }: Tenant, credential = "api-key:one") => ({
  organizationId: organization.id,
  userId: user.id,
  credential
})

export const newMcpSession = Effect.fnUntraced(function*(
  owner: ReturnType<typeof ownerOf>,
  fields: Partial<McpSession> = {}
) {
  const at = yield* now
  // A secret's hash is long and random enough to make an id of.
  const id = McpSessionId.make((yield* seedHash("apiKey")).slice(0, 43))
  const session: NewMcpSession = {
    id,
    ...owner,
    protocolVersion: "2025-11-25",
    clientName: "client",
    clientVersion: "1",
    elicits: false,
    logLevel: "info",
    createdAt: at,
    updatedAt: at,
    ...fields
  }
  return session
})

export const seedMcpSession = Effect.fnUntraced(function*(
  owner: ReturnType<typeof ownerOf>,
  options: { readonly idleMillis?: number; readonly maxSessions?: number; readonly fields?: Partial<McpSession> } = {}
) {
  const session = yield* newMcpSession(owner, options.fields)
  const { idleMillis = day, maxSessions = 100 } = options
  yield* (yield* McpSessionStore).create(session, { idleMillis, maxSessions })
  return session
})
