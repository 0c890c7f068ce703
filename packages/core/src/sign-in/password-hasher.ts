import type { Effect } from "effect"
import { Context } from "effect"

/** A slow hash for passwords, with a salt of each hash's own. */
export class PasswordHasher extends Context.Service<PasswordHasher, {
  /** A PHC string, which says by itself how it was made. */
  hash(password: string): Effect.Effect<string>
  /**
   * Whether it is that password's hash, in a time that does not tell how wrong it is. No password has the hash
   * `undefined`, and that takes as long to find out: so who asks cannot tell whether there is such a user.
   */
  verify(passwordHash: string | undefined, password: string): Effect.Effect<boolean>
}>()("@coppice/core/sign-in/PasswordHasher") {}
