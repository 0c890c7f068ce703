import type { TransactionStatus } from "./protocol.ts"

/** What the thread that owns the database is told, one statement at a time. */
export type Request =
  | { readonly kind: "run"; readonly sequence: number; readonly cycle: Uint8Array }
  | { readonly kind: "close" }

export interface Notification {
  readonly channel: string
  readonly bytes: Uint8Array
}

export interface Outcome {
  readonly bytes: Uint8Array
  readonly status: TransactionStatus
  /** The database refused the statement. */
  readonly refused: boolean
  readonly notifications: ReadonlyArray<Notification>
}

export type Reply =
  | { readonly kind: "ready" }
  | { readonly kind: "part"; readonly bytes: Uint8Array }
  | ({ readonly kind: "done" } & Outcome)
  | { readonly kind: "closed" }
  | { readonly kind: "broken"; readonly message: string }

export interface EngineData {
  readonly directory: string
  readonly shared: SharedArrayBuffer
}

/** Words that both threads see, the only way to reach a thread while it runs a statement. */
export const shared = {
  /** The sequence number of the statement that is to stop. */
  cancel: 0,
  /** How many times something was synced to the disk. */
  syncs: 1,
  words: 2
} as const
