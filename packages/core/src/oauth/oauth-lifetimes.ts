const minute = 60_000
const day = 24 * 60 * minute

/** How long a person has to decide on what a client asks for. */
export const authorizationRequestMillis = 10 * minute

/** RFC 6749 section 4.1.2 recommends ten minutes at the most; what redeems a code is a program that waits for it. */
export const codeMillis = minute

/** How often a code may be presented with something that does not fit, so that nobody can guess a verifier. */
export const maxCodeMisses = 5

/** For so long a client that redeems a code once more, as after a lost answer, is not taken for a thief. */
export const codeRepeatMillis = 10_000

export const accessTokenSeconds = 3600

/** A refresh token that nobody uses ends after this. */
export const refreshIdleMillis = 30 * day

/** A grant ends after this, however much it is used: the person is asked again. */
export const grantMillis = 90 * day

/** A grant that cannot be renewed outlasts its one access token by a moment, because two clocks are never the same. */
export const unrenewableGrantMillis = codeMillis + accessTokenSeconds * 1000 + minute

/**
 * Clients that run as several processes share a refresh token, and each uses it in good faith within a minute or two. It
 * is taken for stolen only after that.
 */
export const reuseGrace = { graceMillis: 120_000, maxReuses: 10 } as const
