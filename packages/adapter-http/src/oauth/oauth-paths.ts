/** Where the authorization server is. */
export const oauthPaths = {
  register: "/api/auth/oauth2/register",
  authorize: "/api/auth/oauth2/authorize",
  token: "/api/auth/oauth2/token",
  userinfo: "/api/auth/oauth2/userinfo",
  revoke: "/api/auth/oauth2/revoke",
  jwks: "/api/auth/oauth2/jwks"
} as const

/** Where a person decides. */
export const consentPath = (requestId: string): string => `/consent?request=${encodeURIComponent(requestId)}`
