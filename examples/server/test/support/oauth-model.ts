// What the authorization server has to keep to, as small as it can be said. Every lifetime is written out once more here,
// so that a change in the product shows.

/** An instant, between two readings of the clock. */
export type Instant = readonly [from: number, to: number]

/** The readings leave open on which side of a limit something happened. */
export class Undecidable extends Error {}

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** Instants in the database are of whole milliseconds. */
const roundingMillis = 5

const isOver = (since: Instant, millis: number, now: Instant): boolean => {
  if (now[0] - since[1] >= millis + roundingMillis) return true
  if (now[1] - since[0] < millis - roundingMillis) return false
  throw new Undecidable()
}

export interface ModelGrant {
  readonly id: string
  readonly organization: string
  readonly user: string
  readonly client: string
  readonly scope: ReadonlyArray<string>
  readonly at: Instant
  revoked: boolean
}

export interface ModelCode {
  readonly grant: ModelGrant
  readonly secret: string
  readonly verifier: string
  readonly at: Instant
  redeemedAt?: Instant
  misses: number
  /** How often it was exchanged: once at the most, whatever happens. */
  successes: number
}

export interface ModelAccess {
  readonly grant: ModelGrant
  readonly secret: string
  readonly scope: ReadonlyArray<string>
  readonly at: Instant
  forgotten: boolean
}

export interface ModelRefresh {
  readonly grant: ModelGrant
  readonly secret: string
  readonly at: Instant
  rotatedAt?: Instant
  reuses: number
}

/** A token, or the error of the OAuth envelope. */
export type Verdict = "tokens" | "invalid_grant" | "invalid_scope"

const isRenewable = ({ scope }: ModelGrant) => scope.includes("offline_access")

export const makeModel = () => {
  const members = new Set<string>()
  const keyOf = (organization: string, user: string) => `${organization} ${user}`
  const grants: Array<ModelGrant> = []
  const codes: Array<ModelCode> = []
  const accessTokens: Array<ModelAccess> = []
  const refreshTokens: Array<ModelRefresh> = []

  const isMember = (organization: string, user: string) => members.has(keyOf(organization, user))
  const isLive = (grant: ModelGrant, now: Instant): boolean =>
    !grant.revoked && !isOver(grant.at, isRenewable(grant) ? 90 * day : 62 * minute, now)
  const isUsable = (grant: ModelGrant, now: Instant): boolean =>
    isLive(grant, now) && isMember(grant.organization, grant.user)

  const redeem = (code: ModelCode, client: string, verifier: string, now: Instant): Verdict => {
    if (client !== code.grant.client) return "invalid_grant"
    const fits = verifier === code.verifier
    if (code.redeemedAt !== undefined) {
      // Whoever repeats what it did, at once and with its verifier, is no thief.
      if (!fits || isOver(code.redeemedAt, 10 * second, now)) code.grant.revoked = true
      return "invalid_grant"
    }
    if (isOver(code.at, minute, now) || code.misses >= 5) return "invalid_grant"
    if (!fits) code.misses++
    if (!fits || !isUsable(code.grant, now)) return "invalid_grant"
    code.redeemedAt = now
    return "tokens"
  }

  const refresh = (token: ModelRefresh, client: string, scope: ReadonlyArray<string> | undefined, now: Instant): Verdict => {
    const { grant } = token
    if (client !== grant.client || !isUsable(grant, now)) return "invalid_grant"
    if (scope?.some((word) => !grant.scope.includes(word))) return "invalid_scope"
    if (isOver(token.at, 30 * day, now)) return "invalid_grant"
    if (token.rotatedAt === undefined) token.rotatedAt = now
    else if (isOver(token.rotatedAt, 2 * minute, now) || token.reuses >= 10) {
      grant.revoked = true
      return "invalid_grant"
    } else token.reuses++
    return "tokens"
  }

  return {
    grants,
    codes,
    accessTokens,
    refreshTokens,
    isMember,
    isLive,
    join: (organization: string, user: string) => void members.add(keyOf(organization, user)),
    /** Who comes back gets none of it back. */
    leave: (organization: string, user: string) => {
      members.delete(keyOf(organization, user))
      for (const grant of grants) if (grant.organization === organization && grant.user === user) grant.revoked = true
    },
    approve: (grant: Omit<ModelGrant, "revoked">, secret: string, verifier: string) => {
      const made = { ...grant, revoked: false }
      grants.push(made)
      codes.push({ grant: made, secret, verifier, at: grant.at, misses: 0, successes: 0 })
      return codes.at(-1)!
    },
    redeem,
    refresh,
    /** Tokens that were answered. */
    issue: (grant: ModelGrant, access: string, refreshed: string | undefined, scope: ReadonlyArray<string>, at: Instant) => {
      accessTokens.push({ grant, secret: access, scope, at, forgotten: false })
      if (refreshed !== undefined) refreshTokens.push({ grant, secret: refreshed, at, reuses: 0 })
    },
    revokeAccess: (token: ModelAccess, client: string | undefined) => {
      if (client === undefined || client === token.grant.client) token.forgotten = true
    },
    revokeRefresh: ({ grant }: ModelRefresh, client: string | undefined) => {
      if (client === undefined || client === grant.client) grant.revoked = true
    },
    isWorth: ({ at, forgotten, grant }: ModelAccess, now: Instant): boolean =>
      !forgotten && isUsable(grant, now) && !isOver(at, 60 * minute, now)
  }
}

/** What a step came to, and what the model says that it comes to. */
export interface Performed {
  readonly observed: string
  /** Has the model do the same. */
  readonly predict: (now: Instant) => string
  /** Writes down what was given out. */
  readonly record: (now: Instant) => void
  /** What is so afterwards, in whatever order this and what went on beside it came about. */
  readonly certain?: () => void
}
