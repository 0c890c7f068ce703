/** Every instant that the authorization server goes by: as those of an hour ago they say what they would say in an hour. */
const instants = {
  authorization_requests: ["created_at", "expires_at"],
  grants: ["authenticated_at", "expires_at", "last_used_at", "revoked_at", "created_at", "updated_at"],
  authorization_codes: ["expires_at", "redeemed_at"],
  access_tokens: ["expires_at"],
  refresh_tokens: ["expires_at", "rotated_at"],
  oauth_clients: ["created_at", "updated_at"],
  rate_windows: ["opened_at", "ends_at"]
}

/**
 * Stores judge by the database's clock, which a test cannot put forward. It puts all instants back instead, in one
 * statement, so that nobody sees half of it. Signing keys stay as they are: no token's worth depends on them.
 */
export const timePasses = (millis: number): string => {
  const updates = Object.entries(instants).map(([table, columns]) =>
    `${table}_then AS (UPDATE ${table} SET ${
      columns.map((column) => `${column} = ${column} - ${millis} * interval '1 millisecond'`).join(", ")
    })`
  )
  return `WITH ${updates.join(", ")} SELECT 1`
}
