import { createServiceClient, CurrentPrincipal, signingKeyMillis, signingLeadMillis } from "@coppice/core"
import { Effect } from "effect"
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from "jose"
import * as oauth4webapi from "oauth4webapi"
import * as openidClient from "openid-client"
import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { describeOverSocket } from "./support/matrix.ts"
import { makeOAuth, manyRegistrations, oauth, redirectUri } from "./support/oauth.ts"

const insecure = { [oauth4webapi.allowInsecureRequests]: true }

describeOverSocket("standard clients", (context) => {
  /** Goes where a client sends the browser, has a person approve there, and answers where the browser is sent back to. */
  const visit = async (url: URL) => {
    const { code, newPerson } = makeOAuth(context())
    const { client_id, ...fields } = Object.fromEntries(url.searchParams)
    const person = await newPerson()
    return { person, back: (await code(client_id!, fields, person)).url }
  }
  const serviceClient = async () => {
    const admin = await makeOAuth(context()).newPerson()
    return context().runtime.runPromise(Effect.provideService(createServiceClient({ name: "Nightly" }), CurrentPrincipal, {
      organizationId: admin.activeOrganizationId,
      userId: admin.id,
      role: "owner"
    }))
  }

  it.each(["oauth2", "oidc"] as const)("oauth4webapi completes every flow, discovering as %s", async (algorithm) => {
    const issuer = new URL(context().base)
    const as = await oauth4webapi.processDiscoveryResponse(issuer, await oauth4webapi.discoveryRequest(issuer, { ...insecure, algorithm }))
    const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: "client_secret_basic", client_name: "oauth4webapi" }
    const client = await oauth4webapi.processDynamicClientRegistrationResponse(
      await oauth4webapi.dynamicClientRegistrationRequest(as, metadata, insecure)
    )
    const auth = oauth4webapi.ClientSecretBasic(client.client_secret as string)
    const [codeVerifier, state, nonce] = [oauth4webapi.generateRandomCodeVerifier(), oauth4webapi.generateRandomState(), oauth4webapi.generateRandomNonce()]
    const url = new URL(as.authorization_endpoint!)
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirectUri,
      scope: "openid profile email offline_access",
      code_challenge: await oauth4webapi.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      state,
      nonce
    }).toString()
    const { back, person } = await visit(url)
    const callback = oauth4webapi.validateAuthResponse(as, client, back, state)
    const exchanged = await oauth4webapi.authorizationCodeGrantRequest(as, client, auth, callback, redirectUri, codeVerifier, insecure)
    const tokens = await oauth4webapi.processAuthorizationCodeResponse(as, client, exchanged, {
      expectedNonce: nonce,
      requireIdToken: true
    })
    await oauth4webapi.validateApplicationLevelSignature(as, exchanged, insecure)
    const claims = oauth4webapi.getValidatedIdTokenClaims(tokens)!
    expect(claims.sub).toBe(person.id)
    const info = await oauth4webapi.processUserInfoResponse(as, client, claims.sub, await oauth4webapi.userInfoRequest(as, client, tokens.access_token, insecure))
    expect(info).toMatchObject({ sub: person.id, email: person.email, name: person.name })
    const refreshed = await oauth4webapi.processRefreshTokenResponse(
      as, client, await oauth4webapi.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token!, insecure)
    )
    await oauth4webapi.processRevocationResponse(await oauth4webapi.revocationRequest(as, client, auth, refreshed.refresh_token!, insecure))
    expect(await makeOAuth(context()).mcpStatus(refreshed.access_token)).toBe(401)

    const made = await serviceClient()
    const machine = { client_id: made.client.id }
    const granted = await oauth4webapi.processClientCredentialsResponse(
      as, machine, await oauth4webapi.clientCredentialsGrantRequest(as, machine, oauth4webapi.ClientSecretBasic(made.secret), {}, insecure)
    )
    expect(await makeOAuth(context()).mcpStatus(granted.access_token)).toBe(200)
  })

  it("openid-client completes every flow, discovering both ways", async () => {
    const options = { execute: [openidClient.allowInsecureRequests] }
    for (const algorithm of ["oidc", "oauth2"] as const) {
      const config = await openidClient.dynamicClientRegistration(
        new URL(context().base), { redirect_uris: [redirectUri], token_endpoint_auth_method: "none", client_name: "openid-client" }, openidClient.None(), { ...options, algorithm }
      )
      const [pkceCodeVerifier, expectedState, expectedNonce] = [
        openidClient.randomPKCECodeVerifier(), openidClient.randomState(), openidClient.randomNonce()
      ]
      const { back, person } = await visit(openidClient.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid email offline_access",
        code_challenge: await openidClient.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
        state: expectedState,
        nonce: expectedNonce,
        resource: `${context().base}/mcp`
      }))
      const tokens = await openidClient.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, maxAge: 600 })
      const info = await openidClient.fetchUserInfo(config, tokens.access_token, tokens.claims()!.sub)
      expect(info).toEqual({ sub: person.id, email: person.email, email_verified: false })
      const refreshed = await openidClient.refreshTokenGrant(config, tokens.refresh_token!)
      expect(refreshed.claims()!.sub).toBe(person.id)
      await openidClient.tokenRevocation(config, refreshed.access_token)
      expect(await makeOAuth(context()).mcpStatus(refreshed.access_token)).toBe(401)
      await openidClient.tokenRevocation(config, refreshed.refresh_token!)
      await expect(openidClient.refreshTokenGrant(config, refreshed.refresh_token!)).rejects.toMatchObject({ error: "invalid_grant" })
    }
    const made = await serviceClient()
    const config = await openidClient.discovery(new URL(context().base), made.client.id, undefined, openidClient.ClientSecretBasic(made.secret), options)
    expect(await makeOAuth(context()).mcpStatus((await openidClient.clientCredentialsGrant(config)).access_token)).toBe(200)
  })

  it("an ID token of a refresh is of the same person and sign-in, and has no nonce", async () => {
    const { connect, refresh } = makeOAuth(context())
    const { client, tokens } = await connect({ nonce: "n" })
    const next = await (await refresh(client.client_id, tokens.refresh_token)).json() as typeof tokens
    const claimsOf = (token: string | undefined) => JSON.parse(Buffer.from(token!.split(".")[1]!, "base64url").toString()) as Record<string, unknown>
    const [first, second] = [claimsOf(tokens.id_token), claimsOf(next.id_token)]
    expect(first["nonce"]).toBe("n")
    expect(second).not.toHaveProperty("nonce")
    for (const name of ["iss", "sub", "aud", "auth_time"]) expect(second[name]).toEqual(first[name])
  })

  it("L2: ID tokens hold what they should, and go on being good while keys change", async () => {
    const { ahead } = context()
    const { connect } = makeOAuth(context())
    const jwks = `${context().base}${oauth}/jwks`
    const keySet = createRemoteJWKSet(new URL(jwks))
    const published = async () => await (await fetch(jwks)).json() as { keys: Array<{ kid: string }> }
    const { client, person, tokens } = await connect({ nonce: "n", scope: "openid" })
    const verified = await jwtVerify(tokens.id_token!, keySet, { issuer: context().base, audience: client.client_id, algorithms: ["RS256"] })
    expect(verified.payload).toEqual({
      iss: context().base,
      sub: person.id,
      aud: client.client_id,
      iat: expect.any(Number),
      exp: verified.payload.iat! + 3600,
      auth_time: expect.any(Number),
      nonce: "n",
      at_hash: expect.any(String)
    })
    const hash = createHash("sha256").update(tokens.access_token).digest()
    expect(verified.payload["at_hash"]).toBe(hash.subarray(0, 16).toString("base64url"))
    const [first] = (await published()).keys
    expect(verified.protectedHeader).toEqual({ alg: "RS256", typ: "JWT", kid: first!.kid })

    ahead.millis += signingKeyMillis
    const both = await published()
    expect(both.keys).toHaveLength(2)
    const kidOf = (token: string) => (JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()) as { kid: string }).kid
    expect(kidOf((await connect({ scope: "openid" })).tokens.id_token!)).toBe(first!.kid)
    ahead.millis += signingLeadMillis
    const later = (await connect({ scope: "openid" })).tokens.id_token!
    expect(kidOf(later)).toBe(both.keys.find(({ kid }) => kid !== first!.kid)!.kid)
    // Whoever read the key set a day ago knows the key, and still the one before.
    const known = createLocalJWKSet(both as never)
    for (const token of [later, tokens.id_token!]) await jwtVerify(token, known, { currentDate: new Date(0) })
  })

  it("L2: of several replicas that make a key at once, one does", async () => {
    const { ahead, database } = context()
    ahead.millis += signingKeyMillis + signingLeadMillis
    const before = database.signingKeys.size
    const answers = await Promise.all(Array.from({ length: 5 }, async () => (await fetch(`${context().base}${oauth}/jwks`)).text()))
    expect(database.signingKeys.size).toBe(before + 1)
    expect(new Set(answers).size).toBe(1)
  })
}, manyRegistrations)
