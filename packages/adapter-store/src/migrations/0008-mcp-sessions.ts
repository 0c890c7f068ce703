import type { Migration } from "./migration.ts"

export const mcpSessions: Migration = {
  id: 8,
  name: "mcp-sessions",
  statements: [
    // `credential` names a credential of any kind, and outlives it: whoever cannot present that any more finds nothing.
    `CREATE TABLE mcp_sessions (
      id text PRIMARY KEY,
      organization_id uuid NOT NULL REFERENCES organizations (id),
      user_id uuid NOT NULL REFERENCES users (id),
      credential text NOT NULL,
      protocol_version text NOT NULL,
      client_name text NOT NULL,
      client_version text NOT NULL,
      log_level text NOT NULL CONSTRAINT mcp_sessions_log_level CHECK (
        log_level IN ('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency')
      ),
      stream integer NOT NULL DEFAULT 0,
      last_message integer NOT NULL DEFAULT 0,
      expires_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL
    )`,
    `CREATE INDEX mcp_sessions_by_credential ON mcp_sessions (organization_id, credential, updated_at)`,
    `CREATE INDEX mcp_sessions_expired ON mcp_sessions (expires_at)`,
    `CREATE TABLE mcp_messages (
      session_id text NOT NULL REFERENCES mcp_sessions (id) ON DELETE CASCADE,
      sequence integer NOT NULL,
      json text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (session_id, sequence)
    )`,
    `CREATE INDEX mcp_messages_old ON mcp_messages (created_at)`
  ]
}
