import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"

/** Every id is a UUIDv7 string (RFC 9562 section 5.7): unique without coordination, sorted by the time it was made. */
const uuid = Schema.String.check(Schema.isUUID(7))

export const OrganizationId = uuid.pipe(Schema.brand("OrganizationId"))
export type OrganizationId = typeof OrganizationId.Type

export const UserId = uuid.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

export const MemberId = uuid.pipe(Schema.brand("MemberId"))
export type MemberId = typeof MemberId.Type

export const ApiKeyId = uuid.pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/** A client of the authorization server: a program that a person lets act for them, or a service client. */
export const OAuthClientId = uuid.pipe(Schema.brand("OAuthClientId"))
export type OAuthClientId = typeof OAuthClientId.Type

export const AuthorizationRequestId = uuid.pipe(Schema.brand("AuthorizationRequestId"))
export type AuthorizationRequestId = typeof AuthorizationRequestId.Type

export const GrantId = uuid.pipe(Schema.brand("GrantId"))
export type GrantId = typeof GrantId.Type

export const SigningKeyId = uuid.pipe(Schema.brand("SigningKeyId"))
export type SigningKeyId = typeof SigningKeyId.Type

export const BrowserSessionId = uuid.pipe(Schema.brand("BrowserSessionId"))
export type BrowserSessionId = typeof BrowserSessionId.Type

export const InvitationId = uuid.pipe(Schema.brand("InvitationId"))
export type InvitationId = typeof InvitationId.Type

export const AuditEntryId = uuid.pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

/** One installation's data folder. Each organization that it serves has a host record of it. */
export const MachineId = uuid.pipe(Schema.brand("MachineId"))
export type MachineId = typeof MachineId.Type

export const HostId = uuid.pipe(Schema.brand("HostId"))
export type HostId = typeof HostId.Type

export const ProjectId = uuid.pipe(Schema.brand("ProjectId"))
export type ProjectId = typeof ProjectId.Type

export const TaskId = uuid.pipe(Schema.brand("TaskId"))
export type TaskId = typeof TaskId.Type

export const TaskStatusId = uuid.pipe(Schema.brand("TaskStatusId"))
export type TaskStatusId = typeof TaskStatusId.Type

export const WorkspaceId = uuid.pipe(Schema.brand("WorkspaceId"))
export type WorkspaceId = typeof WorkspaceId.Type

export const AgentSessionId = uuid.pipe(Schema.brand("AgentSessionId"))
export type AgentSessionId = typeof AgentSessionId.Type

export const AutomationId = uuid.pipe(Schema.brand("AutomationId"))
export type AutomationId = typeof AutomationId.Type

export const RunId = uuid.pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type

/** A new id of the kind asked for: `yield* newId(RunId)`. */
export const newId = <Id extends string>(kind: Schema.Codec<Id, string>): Effect.Effect<Id, never, SecureRandom> =>
  Effect.map(SecureRandom.use((random) => random.uuidV7()), (text) => Schema.decodeSync(kind)(text))
