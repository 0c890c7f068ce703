import type { Migration } from "./migration.ts"

export const automations: Migration = {
  id: 4,
  name: "automations",
  statements: [
    `CREATE TABLE automations (
      id uuid NOT NULL CONSTRAINT automations_id UNIQUE,
      organization_id uuid NOT NULL,
      name text NOT NULL,
      status text NOT NULL CONSTRAINT automations_status CHECK (status IN ('active', 'paused')),
      prompt text NOT NULL,
      agent text NOT NULL,
      project_id uuid NOT NULL,
      workspace_mode text NOT NULL CONSTRAINT automations_workspace_mode CHECK (workspace_mode IN ('fresh', 'reuse')),
      workspace_id uuid,
      timeout_seconds integer NOT NULL,
      max_concurrent_runs integer,
      max_attempts integer NOT NULL,
      owner_id uuid NOT NULL REFERENCES users (id),
      webhook_token_hash text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
      FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces (organization_id, id)
        ON DELETE SET NULL (workspace_id),
      CONSTRAINT automations_name_taken UNIQUE (organization_id, name)
    )`,
    `CREATE INDEX automations_by_project ON automations (organization_id, project_id, id)`,
    // The windows of every rate limit. Not logged: after a crash the table is empty, which is one free window.
    `CREATE UNLOGGED TABLE rate_windows (
      key text PRIMARY KEY,
      count integer NOT NULL,
      opened_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`
  ]
}
