import type { Migration } from "./migration.ts"

const failureReasons = `'setup', 'workspace', 'agent_unavailable', 'agent_exit', 'timeout', 'host_lost', 'interrupted'`

export const projects: Migration = {
  id: 3,
  name: "projects",
  statements: [
    `CREATE TABLE projects (
      id uuid NOT NULL,
      organization_id uuid NOT NULL,
      name text NOT NULL,
      host_id uuid NOT NULL,
      repository_path text NOT NULL,
      repository_url text,
      base_branch text NOT NULL,
      setup text,
      trusted boolean NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      FOREIGN KEY (organization_id, host_id) REFERENCES hosts (organization_id, id),
      CONSTRAINT projects_name_taken UNIQUE (organization_id, name)
    )`,
    `CREATE TABLE workspaces (
      id uuid NOT NULL,
      organization_id uuid NOT NULL,
      name text NOT NULL,
      project_id uuid NOT NULL,
      host_id uuid NOT NULL,
      status text NOT NULL CONSTRAINT workspaces_status
        CHECK (status IN ('creating', 'ready', 'failed', 'deleting', 'deleted')),
      branch text NOT NULL,
      base_branch text NOT NULL,
      base_commit text,
      path text,
      failure_reason text CONSTRAINT workspaces_failure_reason CHECK (failure_reason IN (${failureReasons})),
      failure_message text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE,
      FOREIGN KEY (organization_id, host_id) REFERENCES hosts (organization_id, id),
      CONSTRAINT workspaces_failure CHECK ((failure_reason IS NULL) = (failure_message IS NULL))
    )`,
    `CREATE UNIQUE INDEX workspaces_name_taken ON workspaces (project_id, name) WHERE status <> 'deleted'`,
    `CREATE INDEX workspaces_by_project ON workspaces (organization_id, project_id, id)`,
    `CREATE INDEX workspaces_unsettled ON workspaces (host_id) WHERE status IN ('creating', 'deleting')`,
    `CREATE TABLE agent_sessions (
      id uuid NOT NULL,
      organization_id uuid NOT NULL,
      workspace_id uuid NOT NULL,
      agent text NOT NULL,
      title text NOT NULL,
      status text NOT NULL CONSTRAINT agent_sessions_status CHECK (
        status IN ('starting', 'running', 'awaiting_input', 'completed', 'failed', 'cancelled', 'lost')
      ),
      exit_code integer,
      failure_reason text CONSTRAINT agent_sessions_failure_reason CHECK (failure_reason IN (${failureReasons})),
      failure_message text,
      started_at timestamptz(3),
      ended_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces (organization_id, id) ON DELETE CASCADE,
      CONSTRAINT agent_sessions_failure CHECK ((failure_reason IS NULL) = (failure_message IS NULL))
    )`,
    `CREATE INDEX agent_sessions_by_workspace ON agent_sessions (organization_id, workspace_id, id)`,
    `CREATE INDEX agent_sessions_unsettled ON agent_sessions (organization_id, workspace_id)
      WHERE status IN ('starting', 'running', 'awaiting_input', 'lost')`
  ]
}
