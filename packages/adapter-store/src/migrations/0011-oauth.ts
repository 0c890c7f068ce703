import type { Migration } from "./migration.ts"

/** A secret is never there, only its SHA-256; this keeps a secret out that is stored by mistake. */
const isHash = (column: string): string => `${column} text NOT NULL CHECK (${column} ~ '^[0-9a-f]{64}$')`

/** What hangs on a grant, and goes with it. */
const ofGrant = `organization_id uuid NOT NULL,
      grant_id uuid NOT NULL,
      FOREIGN KEY (organization_id, grant_id) REFERENCES grants (organization_id, id) ON DELETE CASCADE`

export const oauth: Migration = {
  id: 11,
  name: "oauth",
  statements: [
    // A client with an organization is a service client of it, and acts as that user.
    `CREATE TABLE oauth_clients (
      id uuid PRIMARY KEY,
      name text,
      redirect_uris text[] NOT NULL,
      grant_types text[] NOT NULL CONSTRAINT oauth_clients_grant_types
        CHECK (grant_types <@ ARRAY['authorization_code', 'refresh_token', 'client_credentials']),
      auth_method text NOT NULL CONSTRAINT oauth_clients_auth_method
        CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post')),
      scope text[],
      secret_hash text CHECK (secret_hash ~ '^[0-9a-f]{64}$'),
      organization_id uuid REFERENCES organizations (id),
      user_id uuid REFERENCES users (id),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      CONSTRAINT oauth_clients_secret CHECK ((secret_hash IS NULL) = (auth_method = 'none')),
      CONSTRAINT oauth_clients_service CHECK ((organization_id IS NULL) = (user_id IS NULL))
    )`,
    `CREATE INDEX oauth_clients_of_service ON oauth_clients (organization_id, id) WHERE organization_id IS NOT NULL`,
    `CREATE INDEX oauth_clients_registered ON oauth_clients (created_at) WHERE organization_id IS NULL`,
    // Belongs to a browser and to no organization yet; `user_id` is who opened it first.
    `CREATE TABLE authorization_requests (
      id uuid PRIMARY KEY,
      client_id uuid NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
      redirect_uri text NOT NULL,
      scope text[] NOT NULL,
      resource text NOT NULL,
      code_challenge text NOT NULL,
      state text,
      nonce text,
      issuer text NOT NULL,
      ${isHash("visit")},
      user_id uuid REFERENCES users (id),
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL
    )`,
    `CREATE INDEX authorization_requests_of_client ON authorization_requests (client_id)`,
    `CREATE INDEX authorization_requests_expired ON authorization_requests (expires_at)`,
    `CREATE TABLE grants (
      id uuid NOT NULL,
      organization_id uuid NOT NULL REFERENCES organizations (id),
      user_id uuid NOT NULL REFERENCES users (id),
      client_id uuid NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
      redirect_uri text,
      scope text[] NOT NULL,
      resource text NOT NULL,
      nonce text,
      authenticated_at timestamptz(3),
      expires_at timestamptz(3) NOT NULL,
      last_used_at timestamptz(3),
      revoked_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id)
    )`,
    `CREATE INDEX grants_of_user ON grants (organization_id, user_id, id) WHERE revoked_at IS NULL`,
    `CREATE INDEX grants_of_client ON grants (client_id)`,
    `CREATE INDEX grants_over ON grants (least(expires_at, revoked_at))`,
    `CREATE TABLE authorization_codes (
      ${isHash("hash")} PRIMARY KEY,
      ${ofGrant},
      code_challenge text NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      redeemed_at timestamptz(3),
      misses integer NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE access_tokens (
      ${isHash("hash")} PRIMARY KEY,
      ${ofGrant},
      scope text[] NOT NULL,
      expires_at timestamptz(3) NOT NULL
    )`,
    `CREATE TABLE refresh_tokens (
      ${isHash("hash")} PRIMARY KEY,
      ${ofGrant},
      expires_at timestamptz(3) NOT NULL,
      rotated_at timestamptz(3),
      reuses integer NOT NULL DEFAULT 0
    )`,
    ...["authorization_codes", "access_tokens", "refresh_tokens"].flatMap((table) => [
      `CREATE INDEX ${table}_of_grant ON ${table} (organization_id, grant_id)`,
      `CREATE INDEX ${table}_expired ON ${table} (expires_at)`
    ]),
    // The one secret that is kept as it is, since every replica signs with it; nothing in this service takes a signature
    // of it for leave to do anything.
    `CREATE TABLE signing_keys (
      id uuid PRIMARY KEY,
      public_jwk text NOT NULL,
      private_jwk text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      signs_from timestamptz(3) NOT NULL,
      retires_at timestamptz(3) NOT NULL
    )`
  ]
}
