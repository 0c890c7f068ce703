import type { Migration } from "./migration.ts"

export const signIn: Migration = {
  id: 9,
  name: "sign-in",
  statements: [
    // Apart from the user, so that no query that reads a user can bring the hash along.
    `CREATE TABLE user_passwords (
      user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      hash text NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`,
    // What was issued before could do everything that its user can.
    `ALTER TABLE api_keys
      ADD COLUMN access text NOT NULL DEFAULT 'full' CONSTRAINT api_keys_access CHECK (access IN ('read', 'full')),
      ADD COLUMN project_ids uuid[],
      ADD COLUMN last_used_at timestamptz(3)`,
    `ALTER TABLE api_keys ALTER COLUMN access DROP DEFAULT`
  ]
}
