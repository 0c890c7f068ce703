import type { Migration } from "./migration.ts"

export const organizations: Migration = {
  id: 1,
  name: "organizations",
  statements: [
    `CREATE TABLE organizations (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`,
    // `email_key` is the address as it is compared; folding case in SQL would depend on the database's locale.
    `CREATE TABLE users (
      id uuid PRIMARY KEY,
      email text NOT NULL,
      email_key text NOT NULL CONSTRAINT users_email_taken UNIQUE,
      name text NOT NULL,
      active_organization_id uuid NOT NULL REFERENCES organizations (id),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`,
    `CREATE TABLE members (
      id uuid NOT NULL,
      organization_id uuid NOT NULL REFERENCES organizations (id),
      user_id uuid NOT NULL REFERENCES users (id),
      role text NOT NULL CONSTRAINT members_role CHECK (role IN ('owner', 'admin', 'member')),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      CONSTRAINT members_user UNIQUE (organization_id, user_id)
    )`,
    `CREATE TABLE api_keys (
      id uuid NOT NULL,
      organization_id uuid NOT NULL REFERENCES organizations (id),
      user_id uuid NOT NULL REFERENCES users (id),
      name text NOT NULL,
      hash text NOT NULL CONSTRAINT api_keys_hash UNIQUE,
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id)
    )`
  ]
}
