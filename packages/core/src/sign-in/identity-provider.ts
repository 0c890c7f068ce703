import type { Effect } from "effect"
import type { Unauthorized } from "../error.ts"

/** Who somebody is, as another service vouches for it. */
export interface Identity {
  readonly email: string
  /** Whether that service has made sure that the address is theirs. Without it, nobody is signed in by the address. */
  readonly emailVerified: boolean
  readonly name?: string
}

/** Another way to sign in than by a password: the person goes to another service, and comes back with its word. */
export interface IdentityProvider {
  /** In the address of the two steps: lower-case letters, digits and hyphens. */
  readonly id: string
  /** What the button says after "Continue with". */
  readonly name: string
  /**
   * Where to send the browser, and what to remember of it until it comes back to `redirectUri`; the browser keeps that in a cookie
   * that scripts cannot read.
   */
  begin(redirectUri: string): Effect.Effect<{ readonly url: string; readonly remember: string }, Unauthorized>
  /** Who came back, by the address that they came back to and by what was remembered. */
  complete(callbackUrl: string, remembered: string): Effect.Effect<Identity, Unauthorized>
}
