import type { Migration } from "./migration.ts"

export const signInAgain: Migration = {
  id: 15,
  name: "sign-in-again",
  statements: ["ALTER TABLE authorization_requests ADD COLUMN authenticated_after timestamptz(3)"]
}
