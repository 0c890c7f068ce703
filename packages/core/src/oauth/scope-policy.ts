import type { OAuthClient } from "./oauth-client.ts"

/** What there is to be allowed: who the person is (OpenID Connect Core section 5.4), and to go on without them. */
export const knownScopes = ["openid", "profile", "email", "offline_access"] as const

type ScopeLimits = Pick<OAuthClient, "grantTypes" | "scope">

const wordsIn = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")

/** The scopes of a text that there are; clients copy others from elsewhere, and mean no harm by it. */
export const knownScope = (text: string): ReadonlyArray<string> => {
  const words = wordsIn(text)
  return knownScopes.filter((scope) => words.includes(scope))
}

/**
 * What a client gets of what it asks for: what there is and what it registered for. If it asks for nothing that there is, it
 * gets all that it may have (RFC 6749 section 3.3), and can renew that if it registered to.
 */
export const scopeFor = ({ grantTypes, scope }: ScopeLimits, requested: string | undefined): ReadonlyArray<string> => {
  const most = knownScopes.filter((each) =>
    (scope === undefined || scope.includes(each)) && (each !== "offline_access" || grantTypes.includes("refresh_token"))
  )
  const asked = knownScope(requested ?? "")
  return asked.length === 0 ? most : most.filter((each) => asked.includes(each))
}

/** A refresh may ask for less than was granted, and never for more: `undefined` then (RFC 6749 section 6). */
export const narrowedScope = (granted: ReadonlyArray<string>, requested: string | undefined): ReadonlyArray<string> | undefined => {
  if (requested === undefined) return granted
  const words = wordsIn(requested)
  return words.every((word) => granted.includes(word)) ? granted.filter((scope) => words.includes(scope)) : undefined
}
