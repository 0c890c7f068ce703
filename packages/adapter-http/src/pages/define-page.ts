import type {
  ApiKeyStore,
  AuditLog,
  AutomationStore,
  BrowserSessionStore,
  GrantStore,
  HostGateway,
  HostStore,
  InvitationStore,
  MemberStore,
  OAuthClientStore,
  OrganizationStore,
  PasswordHasher,
  ProjectStore,
  RateLimiter,
  RunEventStore,
  RunStore,
  TaskStore,
  UserStore,
  WebhookRefusalStore,
  WorkspaceStore
} from "@coppice/core/ports"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { BrowserEndpoint, VisitorEndpoint } from "../endpoint.ts"

/** The ports that pages need. A page that needs another adds it here. */
export type PagePorts =
  | ApiKeyStore
  | AuditLog
  | AutomationStore
  | BrowserSessionStore
  | GrantStore
  | HostGateway
  | HostStore
  | InvitationStore
  | MemberStore
  | OAuthClientStore
  | OrganizationStore
  | PasswordHasher
  | ProjectStore
  | RateLimiter
  | RunEventStore
  | RunStore
  | SecureRandom
  | TaskStore
  | UserStore
  | WebhookRefusalStore
  | WorkspaceStore

/** A page of the catalogue. */
export type PageEndpoint<R = PagePorts> = BrowserEndpoint<R> | VisitorEndpoint<R>

type Row<E> = E extends unknown ? Omit<E, "id" | "method" | "paths"> & { readonly path: string } : never
type View = Extract<PageEndpoint, { readonly method: "GET" }>
type Submission = Extract<PageEndpoint, { readonly method: "POST" }>

const idOf = (method: string, path: string): string =>
  ["page", method.toLowerCase(), ...path.split(/[^a-z]+/i).filter((part) => part !== "")].join("-")

/** A row of the catalogue for a page that is seen. */
export const defineView = ({ path, ...row }: Row<View>): PageEndpoint =>
  ({ ...row, id: idOf("GET", path), method: "GET", paths: [path] })

/** A row of the catalogue for a form that a page of ours sends. */
export const defineForm = ({ path, ...row }: Row<Submission>): PageEndpoint =>
  ({ ...row, id: idOf("POST", path), method: "POST", paths: [path] })
