import type { Migration } from "./migration.ts"

export const idempotentCalls: Migration = {
  id: 6,
  name: "idempotent-calls",
  statements: [
    `CREATE TABLE idempotent_calls (
      organization_id uuid NOT NULL REFERENCES organizations (id),
      user_id uuid NOT NULL REFERENCES users (id),
      key text NOT NULL,
      fingerprint text NOT NULL,
      begun_by uuid NOT NULL,
      result text,
      expires_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, user_id, key)
    )`,
    `CREATE INDEX idempotent_calls_expired ON idempotent_calls (expires_at)`
  ]
}
