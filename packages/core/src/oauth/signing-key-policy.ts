import { DateTime } from "effect"
import type { Timestamp } from "../timestamp.ts"
import { accessTokenSeconds } from "./oauth-lifetimes.ts"
import type { SigningKey } from "./signing-key.ts"

const hour = 60 * 60 * 1000
const day = 24 * hour

/** A key is followed by another one after this. */
export const signingKeyMillis = 30 * day

/** For so long a key is published before it is used; nobody keeps the key set for longer. */
export const signingLeadMillis = day

/** A key is published for this long from when it signs: far beyond its last signature, also where nobody signs in for weeks. */
export const signingKeyPublishedMillis = 90 * day

/** What a key signs is good for this long. */
export const idTokenSeconds = accessTokenSeconds

const plus = (at: Timestamp, milliseconds: number): Timestamp => DateTime.add(at, { milliseconds })

/** The keys that will be published for as long as anything that they sign now is good. */
const lasting = (keys: ReadonlyArray<SigningKey>, at: Timestamp): ReadonlyArray<SigningKey> =>
  keys.filter(({ retiresAt }) => DateTime.isGreaterThan(retiresAt, plus(at, idTokenSeconds * 1000)))

const newestFirst = (keys: ReadonlyArray<SigningKey>): ReadonlyArray<SigningKey> =>
  keys.toSorted((left, right) => DateTime.toEpochMillis(right.signsFrom) - DateTime.toEpochMillis(left.signsFrom))

/** The key to sign with: the newest whose time has come. Another replica's clock may be ahead: then the first to come. */
export const signingKeyAt = (keys: ReadonlyArray<SigningKey>, at: Timestamp): SigningKey | undefined => {
  const sorted = newestFirst(lasting(keys, at))
  return sorted.find(({ signsFrom }) => DateTime.isLessThanOrEqualTo(signsFrom, at)) ?? sorted.at(-1)
}

/** When a key is due: from when it is to sign, and whether one that another replica made is as good. `undefined` when none is. */
export const dueSigningKey = (
  keys: ReadonlyArray<SigningKey>,
  at: Timestamp
): { readonly signsFrom: Timestamp; readonly unlessSignsFrom: Timestamp } | undefined => {
  const [newest] = newestFirst(lasting(keys, at))
  // Nobody can have kept a key set that was empty, so the first key needs no lead.
  if (newest === undefined) return { signsFrom: at, unlessSignsFrom: plus(at, -signingKeyMillis) }
  const successor = plus(newest.signsFrom, 1)
  return DateTime.isLessThanOrEqualTo(plus(newest.signsFrom, signingKeyMillis), at)
    ? { signsFrom: plus(at, signingLeadMillis), unlessSignsFrom: successor }
    : undefined
}
