// Adapters of the authorization server's ports, each broken in one way that could well happen.
import type { Grant, GrantId, SecretHash, Timestamp } from "@coppice/core"
import {
  AuthorizationCodeStore,
  GrantStore,
  MemberStore,
  OAuthClientStore,
  OAuthTokenStore,
  SigningKeyStore
} from "@coppice/core/ports"
import { DateTime, Effect } from "effect"
import { ahead, type Database, mutant, type Mutant, torn } from "./mutant.ts"

const afterwards = <A, E>(effect: Effect.Effect<A, E>, change: (answer: A) => void) =>
  Effect.tap(effect, (answer) => Effect.sync(() => change(answer)))

const beforehand = <A, E>(change: () => void, effect: Effect.Effect<A, E>) => Effect.andThen(Effect.sync(change), effect)

/** In silence: nobody is there to be told. */
const unheard = <A, E>({ mcpListeners }: Database, effect: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const listeners = [...mcpListeners]
    mcpListeners.clear()
    return afterwards(effect, () => listeners.forEach((listener) => mcpListeners.add(listener)))
  })

/** As if a grant had not been revoked. */
const revive = ({ grants }: Database, id: GrantId | undefined) => {
  const grant = id && grants.get(id)
  if (grant === undefined) return
  const { revokedAt: _, ...live } = grant
  grants.set(grant.id, live)
}
const revived = <A, E>(database: Database, id: GrantId | undefined, effect: Effect.Effect<A, E>) =>
  beforehand(() => revive(database, id), effect)

const far = (at: Timestamp) => DateTime.add(at, { days: 1000 })

const requests: ReadonlyArray<Mutant> = [
  mutant(GrantStore, "opens a request in any browser", (store, { authorizationRequests }) => ({
    open: (id, visit, ...by) => store.open(id, authorizationRequests.get(id)?.request.visit ?? visit, ...by)
  })),
  mutant(GrantStore, "opens a request for any user", (store, { authorizationRequests }) => ({
    open: (id, visit, userId, authenticatedAt) =>
      beforehand(() => {
        const row = authorizationRequests.get(id)
        if (row !== undefined) authorizationRequests.set(id, { ...row, userId })
      }, store.open(id, visit, userId, authenticatedAt))
  })),
  mutant(GrantStore, "opens a request for who signed in too long ago", (store) => ({
    open: (id, visit, userId, authenticatedAt) => store.open(id, visit, userId, DateTime.add(authenticatedAt, { milliseconds: 1 }))
  })),
  mutant(GrantStore, "opens no request for who signed in at that very instant", (store) => ({
    open: (id, visit, userId, authenticatedAt) => store.open(id, visit, userId, DateTime.subtract(authenticatedAt, { milliseconds: 1 }))
  })),
  mutant(GrantStore, "opens in two steps", (store, { authorizationRequests }) => ({
    open: (...args) => torn(authorizationRequests, store.open(...args))
  })),
  mutant(GrantStore, "opens requests five seconds too long", (store) => ({ open: (...args) => ahead(-5_000, store.open(...args)) })),
  mutant(GrantStore, "decides in two steps", (store, { authorizationRequests }) => ({
    decide: (...args) => torn(authorizationRequests, store.decide(...args))
  })),
  mutant(GrantStore, "decides five seconds too long", (store) => ({ decide: (...args) => ahead(-5_000, store.decide(...args)) })),
  mutant(GrantStore, "keeps what was decided", (store, { authorizationRequests }) => ({
    decide: (id, ...rest) =>
      Effect.suspend(() => {
        const row = authorizationRequests.get(id)
        return afterwards(store.decide(id, ...rest), () => row && authorizationRequests.set(id, row))
      })
  })),
  mutant(GrantStore, "decides what nobody opened", (store) => ({
    decide: (id, visit, userId, approval) => Effect.andThen(store.open(id, visit, userId, far(DateTime.makeUnsafe(0))), store.decide(id, visit, userId, approval))
  })),
  mutant(GrantStore, "decides for any browser", (store, { authorizationRequests }) => ({
    decide: (id, visit, ...rest) => store.decide(id, authorizationRequests.get(id)?.request.visit ?? visit, ...rest)
  })),
  mutant(GrantStore, "stores a grant that lost the race", (store, { grants }) => ({
    decide: (id, visit, userId, approval) =>
      afterwards(store.decide(id, visit, userId, approval), () => approval && grants.set(approval.grant.id, approval.grant))
  })),
  mutant(GrantStore, "stores a grant without its code", (store, { authorizationCodes }) => ({
    decide: (id, visit, userId, approval) =>
      afterwards(store.decide(id, visit, userId, approval), () => approval && authorizationCodes.delete(approval.codeHash))
  }))
]

const grants: ReadonlyArray<Mutant> = [
  mutant(GrantStore, "lists grants that are over", (store) => ({
    list: (...args) => ahead(-5_000, store.list(...args))
  })),
  mutant(GrantStore, "lists the grants of any user", (store) => ({
    list: (organizationId, _, page) => store.list(organizationId, undefined, page)
  })),
  mutant(GrantStore, "lists revoked grants", (store, database) => ({
    list: (...args) => Effect.suspend(() => {
      for (const id of database.grants.keys()) revive(database, id)
      return store.list(...args)
    })
  })),
  mutant(GrantStore, "finds the grants of any organization", (store, { grants }) => ({
    find: (organizationId, id, userId) => store.find(grants.get(id)?.organizationId ?? organizationId, id, userId)
  })),
  mutant(GrantStore, "finds the grants of any user", (store) => ({
    find: (organizationId, id) => store.find(organizationId, id, undefined)
  })),
  mutant(GrantStore, "finds grants that are over", (store) => ({
    find: (...args) => ahead(-5_000, store.find(...args))
  })),
  mutant(GrantStore, "finds revoked grants", (store, database) => ({
    find: (organizationId, id, userId) => revived(database, id, store.find(organizationId, id, userId))
  })),
  mutant(GrantStore, "revokes the grants of any organization", (store, database) => ({
    revoke: (organizationId, id, ...rest) => store.revoke(database.grants.get(id)?.organizationId ?? organizationId, id, ...rest)
  })),
  mutant(GrantStore, "revokes the grants of any user", (store) => ({
    revoke: (organizationId, id, _, at) => store.revoke(organizationId, id, undefined, at)
  })),
  mutant(GrantStore, "revokes again what was revoked", (store, database) => ({
    revoke: (organizationId, id, ...rest) => revived(database, id, store.revoke(organizationId, id, ...rest))
  })),
  mutant(GrantStore, "revokes in two steps", (store, database) => ({
    revoke: (...args) => torn(database.grants, store.revoke(...args))
  })),
  mutant(GrantStore, "revokes in silence", (store, database) => ({
    revoke: (...args) => unheard(database, store.revoke(...args))
  })),
  mutant(MemberStore, "leaves the grants of who is removed", (store, database) => ({
    remove: (...args) =>
      Effect.suspend(() => {
        const before = new Map(database.grants)
        return afterwards(store.remove(...args), () => before.forEach((grant) => database.grants.set(grant.id, grant)))
      })
  })),
  mutant(MemberStore, "removes a member in silence", (store, database) => ({
    remove: (...args) => unheard(database, store.remove(...args))
  }))
]

const codes: ReadonlyArray<Mutant> = [
  mutant(AuthorizationCodeStore, "redeems in two steps", (store, { authorizationCodes }) => ({
    redeem: (...args) => torn(authorizationCodes, store.redeem(...args))
  })),
  mutant(AuthorizationCodeStore, "redeems a code five seconds too long", (store) => ({
    redeem: (...args) => ahead(-5_000, store.redeem(...args))
  })),
  mutant(AuthorizationCodeStore, "redeems a code of a revoked grant", (store, database) => ({
    redeem: (hash, ...rest) => revived(database, database.authorizationCodes.get(hash)?.grantId, store.redeem(hash, ...rest))
  })),
  mutant(AuthorizationCodeStore, "never burns a code", (store) => ({
    redeem: (hash, tokens) => store.redeem(hash, tokens, Number.MAX_SAFE_INTEGER)
  })),
  mutant(AuthorizationCodeStore, "burns a code one miss too early", (store) => ({
    redeem: (hash, tokens, maxMisses) => store.redeem(hash, tokens, maxMisses - 1)
  })),
  mutant(AuthorizationCodeStore, "counts misses in two steps", (store, { authorizationCodes }) => ({
    miss: (hash) => torn(authorizationCodes, store.miss(hash))
  })),
  mutant(AuthorizationCodeStore, "forgets a code that was redeemed", (store) => ({
    find: (hash) => Effect.map(store.find(hash), (found) => found?.code.redeemedAt === undefined ? found : undefined)
  })),
  mutant(AuthorizationCodeStore, "stores the tokens of who lost the race", (store, { accessTokens, authorizationCodes }) => ({
    redeem: (hash, tokens, maxMisses) =>
      afterwards(store.redeem(hash, tokens, maxMisses), (redeemed) => {
        const grantId = authorizationCodes.get(hash)?.grantId
        if (redeemed || grantId === undefined) return
        accessTokens.set(tokens.accessHash, { grantId, scope: tokens.scope, expiresAt: DateTime.makeUnsafe(4e12) })
      })
  })),
  mutant(AuthorizationCodeStore, "lets tokens outlast their grant", (store, { refreshTokens }) => ({
    redeem: (hash, tokens, maxMisses) =>
      afterwards(store.redeem(hash, tokens, maxMisses), () => outlast(refreshTokens, tokens.refresh?.hash))
  }))
]

const outlast = (refreshTokens: Database["refreshTokens"], hash: SecretHash | undefined) => {
  const token = hash && refreshTokens.get(hash)
  if (hash !== undefined && token !== undefined) refreshTokens.set(hash, { ...token, expiresAt: far(token.expiresAt) })
}

const accessTokens: ReadonlyArray<Mutant> = [
  mutant(OAuthTokenStore, "keeps windows open five seconds too long", (store) => ({
    authenticate: (hash, limit) =>
      Effect.map(
        store.authenticate(hash, { ...limit, windowSeconds: limit.windowSeconds + 5 }),
        (answer) => answer && { ...answer, usage: { ...answer.usage, limit } }
      )
  })),
  mutant(OAuthTokenStore, "counts in two steps", (store, { windows }) => ({
    authenticate: (...args) => torn(windows, store.authenticate(...args))
  })),
  mutant(OAuthTokenStore, "counts a batch as one request", (store) => ({
    authenticate: (hash, limit) => store.authenticate(hash, limit)
  })),
  mutant(OAuthTokenStore, "counts whom it only identifies", (store) => ({
    identify: (hash) => Effect.map(store.authenticate(hash, { max: 3, windowSeconds: 3600 }), (answer) => answer?.principal)
  })),
  mutant(OAuthTokenStore, "lets an expired token in for another five seconds", (store) => ({
    authenticate: (...args) => ahead(-5_000, store.authenticate(...args))
  })),
  mutant(OAuthTokenStore, "identifies by the token of a revoked grant", (store, database) => ({
    identify: (hash) => revived(database, database.accessTokens.get(hash)?.grantId, store.identify(hash))
  })),
  mutant(OAuthTokenStore, "gives a token the whole scope of its grant", (store, database) => ({
    authenticate: (...args) =>
      Effect.map(store.authenticate(...args), (answer) => {
        const grant = answer?.principal.grant
        const scope = grant && database.grants.get(grant.id)?.scope
        return answer && grant && scope ? { ...answer, principal: { ...answer.principal, grant: { ...grant, scope } } } : answer
      })
  })),
  mutant(OAuthTokenStore, "writes down each use", (store, { accessTokens, grants }) => ({
    authenticate: (hash, ...rest) =>
      Effect.gen(function*() {
        const token = accessTokens.get(hash)
        const grant = token && grants.get(token.grantId)
        const { lastUsedAt: _, ...unused } = grant ?? {} as Grant
        if (grant !== undefined) grants.set(grant.id, unused)
        return yield* store.authenticate(hash, ...rest)
      })
  })),
  mutant(OAuthTokenStore, "writes down no use", (store, { accessTokens, grants }) => ({
    authenticate: (hash, ...rest) =>
      Effect.suspend(() => {
        const token = accessTokens.get(hash)
        const grant = token && grants.get(token.grantId)
        return afterwards(store.authenticate(hash, ...rest), () => grant && grants.set(grant.id, grant))
      })
  })),
  mutant(OAuthTokenStore, "has a grant for each token of a service client", (store, { grants }) => ({
    issue: (grant, tokens) =>
      Effect.suspend(() => {
        const before = new Map(grants)
        grants.clear()
        return afterwards(store.issue(grant, tokens), () => before.forEach((other) => grants.set(other.id, other)))
      })
  })),
  mutant(OAuthTokenStore, "looks for the grant of a service client and makes it in two steps", (store, { grants }) => ({
    issue: (...args) => torn(grants, store.issue(...args))
  })),
  mutant(OAuthTokenStore, "lets the grant of a service client end when its first token does", (store, { grants }) => ({
    issue: (grant, tokens) =>
      Effect.suspend(() => {
        const before = new Map(grants)
        return afterwards(store.issue(grant, tokens), () => before.forEach((other) => grants.set(other.id, other)))
      })
  })),
  mutant(OAuthTokenStore, "stores the grants of who is no member", (store, { grants }) => ({
    issue: (grant, tokens) => afterwards(store.issue(grant, tokens), () => grants.set(grant.id, grant))
  }))
]

const refreshTokens: ReadonlyArray<Mutant> = [
  mutant(OAuthTokenStore, "rotates in two steps", (store, { refreshTokens }) => ({
    rotate: (...args) => torn(refreshTokens, store.rotate(...args))
  })),
  mutant(OAuthTokenStore, "never ends the grace", (store) => ({
    rotate: (hash, tokens, grace) => store.rotate(hash, tokens, { ...grace, graceMillis: 1e12 })
  })),
  mutant(OAuthTokenStore, "allows any number of reuses", (store) => ({
    rotate: (hash, tokens, grace) => store.rotate(hash, tokens, { ...grace, maxReuses: Number.MAX_SAFE_INTEGER })
  })),
  mutant(OAuthTokenStore, "allows one reuse too few", (store) => ({
    rotate: (hash, tokens, grace) => store.rotate(hash, tokens, { ...grace, maxReuses: grace.maxReuses - 1 })
  })),
  mutant(OAuthTokenStore, "begins the grace again with each use", (store, { refreshTokens }) => ({
    rotate: (hash, ...rest) =>
      Effect.gen(function*() {
        const rotation = yield* store.rotate(hash, ...rest)
        const token = refreshTokens.get(hash)
        if (token?.rotatedAt !== undefined) refreshTokens.set(hash, { ...token, rotatedAt: yield* DateTime.now })
        return rotation
      })
  })),
  mutant(OAuthTokenStore, "leaves the grant of a token that was reused", (store, database) => ({
    rotate: (hash, ...rest) =>
      afterwards(store.rotate(hash, ...rest), (rotation) => {
        if (rotation === "reused") revive(database, database.refreshTokens.get(hash)?.grantId)
      })
  })),
  mutant(OAuthTokenStore, "ends a grant in silence when its token was reused", (store, database) => ({
    rotate: (...args) => unheard(database, store.rotate(...args))
  })),
  mutant(OAuthTokenStore, "takes a token that has run out for theft", (store, database) => ({
    rotate: (hash, ...rest) =>
      Effect.suspend(() => {
        const grant = [...database.grants.values()].find(({ id }) => id === database.refreshTokens.get(hash)?.grantId)
        return Effect.tap(store.rotate(hash, ...rest), (rotation) =>
          Effect.flatMap(DateTime.now, (revokedAt) =>
            Effect.sync(() => rotation === "refused" && grant && database.grants.set(grant.id, { ...grant, revokedAt }))))
      })
  })),
  mutant(OAuthTokenStore, "rotates five seconds too long", (store) => ({ rotate: (...args) => ahead(-5_000, store.rotate(...args)) })),
  mutant(OAuthTokenStore, "rotates the token of a revoked grant", (store, database) => ({
    rotate: (hash, ...rest) => revived(database, database.refreshTokens.get(hash)?.grantId, store.rotate(hash, ...rest))
  })),
  mutant(OAuthTokenStore, "ends older access tokens", (store, { accessTokens, refreshTokens }) => ({
    rotate: (hash, tokens, grace) =>
      afterwards(store.rotate(hash, tokens, grace), () => {
        const grantId = refreshTokens.get(hash)?.grantId
        for (const [other, token] of accessTokens) {
          if (token.grantId === grantId && other !== tokens.accessHash) accessTokens.delete(other)
        }
      })
  })),
  mutant(OAuthTokenStore, "lets a renewed token outlast the grant", (store, { refreshTokens }) => ({
    rotate: (hash, tokens, grace) => afterwards(store.rotate(hash, tokens, grace), () => outlast(refreshTokens, tokens.refresh?.hash))
  })),
  mutant(OAuthTokenStore, "forgets a refresh token that was used", (store) => ({
    findRefresh: (hash) => Effect.map(store.findRefresh(hash), (found) => found?.token.rotatedAt === undefined ? found : undefined)
  })),
  mutant(OAuthTokenStore, "finds the refresh token of a revoked grant", (store, database) => ({
    findRefresh: (hash) => revived(database, database.refreshTokens.get(hash)?.grantId, store.findRefresh(hash))
  }))
]

const revocations: ReadonlyArray<Mutant> = [
  mutant(OAuthTokenStore, "revokes the tokens of any client", (store) => ({
    revoke: (hash, _, at) => store.revoke(hash, undefined, at)
  })),
  mutant(OAuthTokenStore, "revokes in silence", (store, database) => ({
    revoke: (...args) => unheard(database, store.revoke(...args))
  })),
  mutant(OAuthTokenStore, "revokes in two steps", (store, { accessTokens, grants }) => ({
    revoke: (...args) => torn(accessTokens, torn(grants, store.revoke(...args)))
  })),
  mutant(OAuthTokenStore, "ends the whole grant of an access token", (store, database) => ({
    revoke: (hash, clientId, at) =>
      afterwards(store.revoke(hash, clientId, at), (grant) => grant && database.grants.set(grant.id, { ...grant, revokedAt: at }))
  })),
  mutant(OAuthTokenStore, "ends a refresh token alone", (store, database) => ({
    revoke: (hash, clientId, at) =>
      afterwards(store.revoke(hash, clientId, at), (grant) => {
        if (database.refreshTokens.delete(hash)) revive(database, grant?.id)
      })
  }))
]

const clients: ReadonlyArray<Mutant> = [
  mutant(OAuthClientStore, "forgets the secret of who registers", (store) => ({ register: (client) => store.register(client) })),
  mutant(OAuthClientStore, "makes no member of a service client", (store, { members }) => ({
    createService: (client, secretHash, user, member) =>
      afterwards(store.createService(client, secretHash, user, member), () => members.delete(member.id))
  })),
  mutant(OAuthClientStore, "lists the service clients of any organization", (_, { oauthClients }) => ({
    services: () => Effect.sync(() => ({ items: [...oauthClients.values()].map(({ client }) => client).toReversed() }))
  })),
  mutant(OAuthClientStore, "replaces the secret of any client", (__, { oauthClients }) => ({
    rotateSecret: (_, id, secretHash, updatedAt) =>
      Effect.sync(() => {
        const row = oauthClients.get(id)
        if (row !== undefined) oauthClients.set(id, { client: { ...row.client, updatedAt }, secretHash })
        return row !== undefined
      })
  })),
  mutant(OAuthClientStore, "removes the service clients of any organization", (store, { oauthClients }) => ({
    remove: (organizationId, id, at) =>
      store.remove(oauthClients.get(id)?.client.service?.organizationId ?? organizationId, id, at)
  })),
  mutant(OAuthClientStore, "leaves the member of a service client", (store, { members }) => ({
    remove: (...args) =>
      Effect.suspend(() => {
        const before = new Map(members)
        return afterwards(store.remove(...args), () => before.forEach((member) => members.set(member.id, member)))
      })
  })),
  mutant(OAuthClientStore, "removes a service client in silence", (store, database) => ({
    remove: (...args) => unheard(database, store.remove(...args))
  })),
  mutant(OAuthClientStore, "removes in two steps", (store, { oauthClients }) => ({
    remove: (...args) => torn(oauthClients, store.remove(...args))
  }))
]

const keys: ReadonlyArray<Mutant> = [
  mutant(SigningKeyStore, "adds a key in two steps", (store, { signingKeys }) => ({
    add: (...args) => torn(signingKeys, store.add(...args))
  })),
  mutant(SigningKeyStore, "adds a key beside another", (store) => ({ add: (key) => store.add(key, DateTime.makeUnsafe(8e15)) })),
  mutant(SigningKeyStore, "adds no key while there is any", (store) => ({ add: (key) => store.add(key, DateTime.makeUnsafe(0)) })),
  mutant(SigningKeyStore, "lists keys that have retired", (_, { signingKeys }) => ({
    list: () => Effect.sync(() => [...signingKeys.values()].toReversed())
  })),
  mutant(SigningKeyStore, "answers a later caller's own key", (store) => ({
    add: (key, unlessSignsFrom) => Effect.as(store.add(key, unlessSignsFrom), [key])
  }))
]

export const oauthMutants: ReadonlyArray<Mutant> = [
  ...requests,
  ...grants,
  ...codes,
  ...accessTokens,
  ...refreshTokens,
  ...revocations,
  ...clients,
  ...keys
]
