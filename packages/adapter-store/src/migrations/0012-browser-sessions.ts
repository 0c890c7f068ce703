import type { Migration } from "./migration.ts"

export const browserSessions: Migration = {
  id: 12,
  name: "browser-sessions",
  statements: [
    `CREATE TABLE browser_sessions (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      hash text NOT NULL CONSTRAINT browser_sessions_hash UNIQUE,
      address text NOT NULL,
      user_agent text NOT NULL,
      authenticated_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`,
    `CREATE INDEX browser_sessions_by_user ON browser_sessions (user_id, id)`,
    `CREATE INDEX browser_sessions_expired ON browser_sessions (expires_at)`,
    // As with users, `email_key` is the address as it is compared.
    `CREATE TABLE invitations (
      id uuid NOT NULL,
      organization_id uuid NOT NULL REFERENCES organizations (id),
      email text NOT NULL,
      email_key text NOT NULL,
      role text NOT NULL CONSTRAINT invitations_role CHECK (role IN ('owner', 'admin', 'member')),
      hash text NOT NULL CONSTRAINT invitations_hash UNIQUE,
      invited_by uuid NOT NULL REFERENCES users (id),
      expires_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      CONSTRAINT invitations_address UNIQUE (organization_id, email_key)
    )`,
    `CREATE INDEX invitations_expired ON invitations (expires_at)`,
    // What was done stays written down whatever becomes of who did it and of what it was done to, so it refers to neither.
    `CREATE TABLE audit_entries (
      id uuid NOT NULL,
      organization_id uuid NOT NULL REFERENCES organizations (id),
      action text NOT NULL,
      actor_id uuid,
      subject text NOT NULL,
      subject_id text,
      address text NOT NULL,
      at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id)
    )`,
    `CREATE INDEX audit_entries_old ON audit_entries (at)`
  ]
}
