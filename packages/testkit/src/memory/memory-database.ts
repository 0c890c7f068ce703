import type {
  AgentSession,
  AgentSessionId,
  ApiKey,
  ApiKeyId,
  AuditEntry,
  AuditEntryId,
  AuthorizationCode,
  AuthorizationRequest,
  AuthorizationRequestId,
  Automation,
  AutomationId,
  BrowserSession,
  BrowserSessionId,
  Grant,
  GrantId,
  Host,
  HostId,
  Invitation,
  InvitationId,
  McpMessage,
  McpSession,
  McpSessionId,
  McpSignal,
  Member,
  MemberId,
  OAuthClient,
  OAuthClientId,
  Organization,
  OrganizationId,
  Project,
  ProjectId,
  RefreshToken,
  Run,
  RunEvent,
  RunId,
  SecretHash,
  SigningKey,
  SigningKeyId,
  Task,
  TaskId,
  TaskStatus,
  TaskStatusId,
  Timestamp,
  User,
  UserId,
  WebhookRefusal,
  Window,
  Workspace,
  WorkspaceId
} from "@coppice/core"
import { Clock, Context, DateTime, Effect, Layer } from "effect"

/** A host as it is kept: what it is busy with is counted when asked. */
export type HostRow = Omit<Host, "running"> & { readonly holdReason?: string }

/** A run with what only stores and workers see of it. Its place in the queue is computed when asked. */
export interface RunRow {
  readonly run: Run
  readonly fence: number
  readonly leaseEndsAtMillis?: number
  readonly payload?: Uint8Array
}

export interface Journal {
  readonly lastSequence: number
  readonly events: ReadonlyArray<RunEvent>
}

export interface IdempotencyRow {
  readonly fingerprint: string
  readonly expiresAt: Timestamp
  readonly result?: string
}

/** What hangs on a grant is kept by its hash, beside the grant. */
type OfGrant<Row extends { readonly grant: Grant }> = Omit<Row, "grant"> & { readonly grantId: GrantId }

export interface AccessTokenRow {
  readonly grantId: GrantId
  readonly scope: ReadonlyArray<string>
  readonly expiresAt: Timestamp
}

export interface InvitationRow {
  readonly invitation: Invitation
  readonly hash: SecretHash
}

export interface McpListener {
  readonly credential: string
  readonly id?: McpSessionId
  readonly tell: (signal: McpSignal) => void
}

/** All records of all memory stores: they refer to one another, as those of a real database do. */
export class MemoryDatabase extends Context.Service<MemoryDatabase, {
  readonly organizations: Map<OrganizationId, Organization>
  readonly users: Map<UserId, User>
  readonly passwordHashes: Map<UserId, string>
  readonly members: Map<MemberId, Member>
  readonly apiKeys: Map<ApiKeyId, { readonly key: ApiKey; readonly hash: SecretHash }>
  readonly browserSessions: Map<BrowserSessionId, { readonly session: BrowserSession; readonly hash: SecretHash }>
  readonly invitations: Map<InvitationId, InvitationRow>
  readonly auditEntries: Map<AuditEntryId, AuditEntry>
  readonly windows: Map<string, Window>
  readonly hosts: Map<HostId, HostRow>
  readonly projects: Map<ProjectId, Project>
  readonly taskStatuses: Map<TaskStatusId, TaskStatus>
  readonly tasks: Map<TaskId, Task>
  readonly workspaces: Map<WorkspaceId, Workspace>
  readonly agentSessions: Map<AgentSessionId, AgentSession>
  readonly automations: Map<AutomationId, { readonly automation: Automation; readonly tokenHash?: SecretHash }>
  readonly webhookRefusals: Map<string, WebhookRefusal>
  readonly runs: Map<RunId, RunRow>
  readonly journals: Map<RunId, Journal>
  readonly calls: Map<string, IdempotencyRow>
  readonly mcpSessions: Map<McpSessionId, McpSession>
  readonly mcpMessages: Map<McpSessionId, ReadonlyArray<McpMessage>>
  readonly oauthClients: Map<OAuthClientId, { readonly client: OAuthClient; readonly secretHash?: SecretHash }>
  /** With the user who opened it. */
  readonly authorizationRequests: Map<AuthorizationRequestId, { readonly request: AuthorizationRequest; readonly userId?: UserId }>
  readonly grants: Map<GrantId, Grant>
  readonly authorizationCodes: Map<SecretHash, OfGrant<AuthorizationCode>>
  readonly accessTokens: Map<SecretHash, AccessTokenRow>
  readonly refreshTokens: Map<SecretHash, OfGrant<RefreshToken>>
  readonly signingKeys: Map<SigningKeyId, SigningKey>
  readonly mcpSubscriptions: Map<McpSessionId, Map<string, string>>
  readonly mcpQuestions: Map<McpSessionId, Map<string, string | undefined>>
  /** Those who listen to MCP sessions and to the credentials that these depend on. */
  readonly mcpListeners: Set<McpListener>
  /** Those who listen to `RunQueue.changes`. */
  readonly listeners: Set<() => void>
}>()("@coppice/testkit/memory/MemoryDatabase") {
  static readonly layer = Layer.sync(MemoryDatabase, () =>
    MemoryDatabase.of({
      organizations: new Map(),
      users: new Map(),
      passwordHashes: new Map(),
      members: new Map(),
      apiKeys: new Map(),
      browserSessions: new Map(),
      invitations: new Map(),
      auditEntries: new Map(),
      windows: new Map(),
      hosts: new Map(),
      projects: new Map(),
      taskStatuses: new Map(),
      tasks: new Map(),
      workspaces: new Map(),
      agentSessions: new Map(),
      automations: new Map(),
      webhookRefusals: new Map(),
      runs: new Map(),
      journals: new Map(),
      calls: new Map(),
      mcpSessions: new Map(),
      mcpMessages: new Map(),
      oauthClients: new Map(),
      authorizationRequests: new Map(),
      grants: new Map(),
      authorizationCodes: new Map(),
      accessTokens: new Map(),
      refreshTokens: new Map(),
      signingKeys: new Map(),
      mcpSubscriptions: new Map(),
      mcpQuestions: new Map(),
      mcpListeners: new Set(),
      listeners: new Set()
    }))
}

export type Database = MemoryDatabase["Service"]

/** One step at the store's clock, which is the runtime's. It is synchronous, and so no other step comes in between. */
export const step = <A, E = never>(
  body: (now: { readonly millis: number; readonly at: Timestamp }) => Effect.Effect<A, E> | A
): Effect.Effect<A, E> =>
  Clock.clockWith((clock) => {
    const millis = clock.currentTimeMillisUnsafe()
    const answer = body({ millis, at: DateTime.makeUnsafe(millis) })
    return Effect.isEffect(answer) ? answer : Effect.succeed(answer)
  })

/** Tells those who listen to an MCP session, or to a credential. */
export const tellMcp = (database: Database, to: Partial<Pick<McpListener, "credential" | "id">>, signal: McpSignal): void => {
  for (const listener of database.mcpListeners) {
    if (to.credential === undefined ? listener.id === to.id : listener.credential === to.credential) listener.tell(signal)
  }
}

/** Tells the workers that something may have become claimable or is to be cancelled. */
export const signal = (database: Database): void => {
  for (const listener of database.listeners) listener()
}
