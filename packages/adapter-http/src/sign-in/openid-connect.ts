import { type Identity, type IdentityProvider, Unauthorized } from "@coppice/core"
import { Effect, Schema } from "effect"
import * as openid from "openid-client"

export interface OpenIdConnectOptions {
  /** In the address of the two steps: lower-case letters, digits and hyphens. */
  readonly id: string
  /** What the button says after "Continue with". */
  readonly name: string
  /** Whose `/.well-known/openid-configuration` says the rest. */
  readonly issuer: string
  readonly clientId: string
  /** Left out for a public client. */
  readonly clientSecret?: string
}

const Remembered = Schema.fromJsonString(Schema.Struct({ verifier: Schema.String, state: Schema.String, nonce: Schema.String }))
const encode = Schema.encodeSync(Remembered)
const decode = Schema.decodeUnknownEffect(Remembered)

const isLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname)

const timeoutSeconds = 10

const text = (value: unknown): string | undefined => typeof value === "string" && value !== "" ? value : undefined

/** Any provider of OpenID Connect, by authorization code with PKCE, state and nonce. */
export const openIdConnect = ({ clientId, clientSecret, id, issuer, name }: OpenIdConnectOptions): IdentityProvider => {
  const server = new URL(issuer)
  let found: Promise<openid.Configuration> | undefined
  /** Asked for once; a provider that did not answer is asked again the next time. */
  const configuration = () =>
    found ??= openid.discovery(server, clientId, clientSecret, clientSecret === undefined ? openid.None() : undefined, {
      timeout: timeoutSeconds,
      execute: isLoopback(server) ? [openid.allowInsecureRequests] : []
    }).catch((error: unknown) => {
      found = undefined
      throw error
    })
  /** What went wrong there is for the log, not for who may have caused it. */
  const ask = <A>(what: string, call: (configuration: openid.Configuration) => A | Promise<A>) =>
    Effect.tryPromise({ try: async () => call(await configuration()), catch: (error) => error as Error }).pipe(
      Effect.tapError((error) => Effect.logWarning(`${name}: ${what} failed`, error)),
      Effect.mapError(() => new Unauthorized({ message: `${name} did not let you in.`, hint: "Try again." }))
    )
  return {
    id,
    name,
    begin: Effect.fnUntraced(function*(redirectUri) {
      const remember = { verifier: openid.randomPKCECodeVerifier(), state: openid.randomState(), nonce: openid.randomNonce() }
      const challenge = yield* Effect.promise(() => openid.calculatePKCECodeChallenge(remember.verifier))
      const url = yield* ask("discovery", (at) =>
        openid.buildAuthorizationUrl(at, {
          redirect_uri: redirectUri,
          scope: "openid email profile",
          code_challenge: challenge,
          code_challenge_method: "S256",
          state: remember.state,
          nonce: remember.nonce
        }).href)
      return { url, remember: encode(remember) }
    }),
    complete: Effect.fnUntraced(function*(callbackUrl, remembered) {
      const { nonce, state, verifier } = yield* Effect.mapError(decode(remembered), () =>
        new Unauthorized({ message: "This browser was not on its way to sign in.", hint: "Try again." }))
      return yield* ask("sign-in", async (at): Promise<Identity> => {
        const tokens = await openid.authorizationCodeGrant(at, new URL(callbackUrl), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true
        })
        const claims = tokens.claims()!
        // Providers put the address into one of the two.
        const said = claims["email"] === undefined
          ? await openid.fetchUserInfo(at, tokens.access_token, claims.sub)
          : claims
        const email = text(said["email"])
        if (email === undefined) throw new Error("No e-mail address was given")
        const called = text(said["name"])
        return { email, emailVerified: said["email_verified"] === true, ...called === undefined ? {} : { name: called } }
      })
    })
  }
}
