import type { Migration } from "./migration.ts"

export const mcpSubscriptions: Migration = {
  id: 13,
  name: "mcp-subscriptions",
  statements: [
    `ALTER TABLE mcp_sessions ADD COLUMN elicits boolean NOT NULL DEFAULT false`,
    `CREATE TABLE mcp_subscriptions (
      session_id text NOT NULL REFERENCES mcp_sessions (id) ON DELETE CASCADE,
      uri text NOT NULL,
      revision text NOT NULL,
      PRIMARY KEY (session_id, uri)
    )`,
    // Without an answer it is open.
    `CREATE TABLE mcp_questions (
      session_id text NOT NULL REFERENCES mcp_sessions (id) ON DELETE CASCADE,
      key text NOT NULL,
      answer text,
      PRIMARY KEY (session_id, key)
    )`
  ]
}
