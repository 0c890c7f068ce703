import type { Effect } from "effect"
import { Context } from "effect"
import type { Timestamp } from "../timestamp.ts"
import type { SigningKey } from "./signing-key.ts"

/** The keys that ID tokens are signed with, the same on every replica. */
export class SigningKeyStore extends Context.Service<SigningKeyStore, {
  /** The keys that have not retired at that time, the newest first. */
  list(at: Timestamp): Effect.Effect<ReadonlyArray<SigningKey>>
  /**
   * Adds a key, unless there is one already that signs from `unlessSignsFrom` or later: of several replicas that add one at
   * once, one does. Answers the keys that there are then.
   */
  add(key: SigningKey, unlessSignsFrom: Timestamp): Effect.Effect<ReadonlyArray<SigningKey>>
}>()("@coppice/core/oauth/SigningKeyStore") {}
