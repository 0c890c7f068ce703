import { section } from "../requirement.ts"

export const errorEnvelope = section("Error envelope", {
  "error.envelope": ["built", "Every API error but those of the OAuth token and revoke endpoints is { error: { … } }."],
  "error.code": ["built", "error.code is a stable machine-readable string, e.g. UNAUTHORIZED, NOT_FOUND."],
  "error.message": ["built", "error.message is a human-readable string, always present."],
  "error.hint": ["built", "error.hint, when present, is a string that says how to resolve it."],
  "error.not-found-code": ["built", "What is not there has the code NOT_FOUND."]
})

export const oauthErrorEnvelope = section("OAuth error envelope", {
  "oauth-error.error": ["built", "error is a required string, e.g. invalid_grant, invalid_client, invalid_request."],
  "oauth-error.error-description": ["built", "error_description is an optional string."]
})
