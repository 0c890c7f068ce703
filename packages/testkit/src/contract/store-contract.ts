import type {
  AgentSessionStore,
  ApiKeyStore,
  AuthorizationCodeStore,
  AutomationStore,
  GrantStore,
  AuditLog,
  BrowserSessionStore,
  HostStore,
  IdempotencyStore,
  InvitationStore,
  McpSessionStore,
  MemberStore,
  OAuthClientStore,
  OAuthTokenStore,
  McpQuestionStore,
  McpSubscriptionStore,
  OrganizationStore,
  ProjectStore,
  RateLimiter,
  RunEventStore,
  RunQueue,
  RunStore,
  SigningKeyStore,
  TaskStatusStore,
  TaskStore,
  UserStore,
  WebhookInbox,
  WebhookRefusalStore,
  WorkspaceStore
} from "@coppice/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { contract, type Contract, type ContractTest } from "./contract.ts"

/** Every store port. A contract gets all of them, because what one keeps refers to what others keep. */
export type StorePorts =
  | AgentSessionStore
  | ApiKeyStore
  | AuthorizationCodeStore
  | AutomationStore
  | GrantStore
  | AuditLog
  | BrowserSessionStore
  | HostStore
  | IdempotencyStore
  | InvitationStore
  | McpSessionStore
  | MemberStore
  | OAuthClientStore
  | OAuthTokenStore
  | McpQuestionStore
  | McpSubscriptionStore
  | OrganizationStore
  | ProjectStore
  | RateLimiter
  | RunEventStore
  | RunQueue
  | RunStore
  | SigningKeyStore
  | TaskStatusStore
  | TaskStore
  | UserStore
  | WebhookInbox
  | WebhookRefusalStore
  | WorkspaceStore

/** What a contract needs to know of the stores that it judges. */
export interface StoreCapabilities {
  /** `test` when the stores go by Effect's clock, which a test can move; `real` when they have a clock of their own. */
  readonly clock: "test" | "real"
}

export type StoreContract = Contract<StorePorts, StoreCapabilities>
export type StoreTest = ContractTest<StorePorts>

export const storeContract = (
  port: string,
  tests: (capabilities: StoreCapabilities) => ReadonlyArray<StoreTest>
): StoreContract => contract<StorePorts, StoreCapabilities>(port, { clock: "test" }, tests, ({ clock }) => clock === "test")

/**
 * Lets that much time of the store's clock pass. A timer may fire a moment early; the store must not be asked before. What
 * must still hold afterwards has to be given far more time than this, because more of it passes on a busy machine.
 */
export const pass = ({ clock }: StoreCapabilities, millis: number): Effect.Effect<void> =>
  clock === "test" ? TestClock.adjust(millis) : Effect.sleep(millis + 20)
