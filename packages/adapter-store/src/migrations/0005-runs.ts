import type { Migration } from "./migration.ts"

export const runs: Migration = {
  id: 5,
  name: "runs",
  statements: [
    // `project_id` and `host_id` are copied from the automation's project, which never moves: that spares a look-up for
    // each delivery and each claim. A lease is there exactly while a run is taken up.
    `CREATE TABLE runs (
      id uuid NOT NULL,
      organization_id uuid NOT NULL,
      automation_id uuid NOT NULL,
      project_id uuid NOT NULL,
      host_id uuid NOT NULL,
      status text NOT NULL CONSTRAINT runs_status CHECK (
        status IN ('queued', 'preparing', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')
      ),
      trigger text NOT NULL CONSTRAINT runs_trigger CHECK (trigger IN ('webhook', 'manual')),
      attempt integer NOT NULL DEFAULT 0,
      fence bigint NOT NULL DEFAULT 0,
      retry_of uuid,
      workspace_id uuid,
      agent_session_id uuid,
      exit_code integer,
      failure_reason text CONSTRAINT runs_failure_reason CHECK (
        failure_reason IN ('setup', 'workspace', 'agent_unavailable', 'agent_exit', 'timeout', 'host_lost', 'interrupted')
      ),
      failure_message text,
      lease_expires_at timestamptz,
      cancel_requested_at timestamptz(3),
      started_at timestamptz(3),
      ended_at timestamptz(3),
      forgotten_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      FOREIGN KEY (organization_id, automation_id) REFERENCES automations (organization_id, id) ON DELETE CASCADE,
      FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces (organization_id, id)
        ON DELETE SET NULL (workspace_id),
      FOREIGN KEY (organization_id, agent_session_id) REFERENCES agent_sessions (organization_id, id)
        ON DELETE SET NULL (agent_session_id),
      CONSTRAINT runs_lease CHECK ((lease_expires_at IS NOT NULL) = (status IN ('preparing', 'running', 'waiting'))),
      CONSTRAINT runs_end CHECK ((ended_at IS NOT NULL) = (status IN ('succeeded', 'failed', 'cancelled'))),
      CONSTRAINT runs_failure CHECK ((failure_reason IS NULL) = (failure_message IS NULL))
    )`,
    `CREATE INDEX runs_by_automation ON runs (automation_id, id)`,
    `CREATE INDEX runs_by_project ON runs (project_id, id)`,
    `CREATE INDEX runs_queued ON runs (host_id, id) INCLUDE (automation_id) WHERE status = 'queued'`,
    `CREATE INDEX runs_active ON runs (host_id) INCLUDE (automation_id) WHERE status IN ('preparing', 'running', 'waiting')`,
    `CREATE INDEX runs_ended ON runs (organization_id, status, id) WHERE status IN ('failed', 'cancelled')`,
    `CREATE INDEX runs_to_forget ON runs (ended_at) WHERE ended_at IS NOT NULL AND forgotten_at IS NULL`,
    `CREATE INDEX runs_by_workspace ON runs (organization_id, workspace_id) WHERE workspace_id IS NOT NULL`,
    `CREATE INDEX runs_by_agent_session ON runs (organization_id, agent_session_id) WHERE agent_session_id IS NOT NULL`,
    // Bytes, never jsonb: U+0000, lone surrogates, deep nesting and huge numbers are valid JSON that jsonb refuses.
    `CREATE TABLE run_payloads (
      organization_id uuid NOT NULL,
      run_id uuid NOT NULL,
      payload bytea NOT NULL,
      PRIMARY KEY (organization_id, run_id),
      FOREIGN KEY (organization_id, run_id) REFERENCES runs (organization_id, id) ON DELETE CASCADE
    )`,
    // What numbers a run's events, apart from the run so that output does not rewrite that row.
    `CREATE TABLE run_event_heads (
      organization_id uuid NOT NULL,
      run_id uuid NOT NULL,
      last_sequence integer NOT NULL,
      output_bytes bigint NOT NULL,
      PRIMARY KEY (organization_id, run_id),
      FOREIGN KEY (organization_id, run_id) REFERENCES runs (organization_id, id) ON DELETE CASCADE
    ) WITH (fillfactor = 50)`,
    // `text_bytes` is what an output event counts against the bound of its run; it is 0 for the others.
    `CREATE TABLE run_events (
      organization_id uuid NOT NULL,
      run_id uuid NOT NULL,
      sequence integer NOT NULL,
      at timestamptz(3) NOT NULL,
      type text NOT NULL CONSTRAINT run_events_type CHECK (
        type IN ('status', 'progress', 'setup_output', 'output', 'output_dropped')
      ),
      attempt integer NOT NULL,
      status text CONSTRAINT run_events_status CHECK (
        status IN ('queued', 'preparing', 'running', 'waiting', 'succeeded', 'failed', 'cancelled')
      ),
      stream text CONSTRAINT run_events_stream CHECK (stream IN ('stdout', 'stderr')),
      text text,
      text_bytes integer NOT NULL,
      bytes bigint,
      PRIMARY KEY (organization_id, run_id, sequence),
      FOREIGN KEY (organization_id, run_id) REFERENCES run_event_heads (organization_id, run_id) ON DELETE CASCADE
    )`
  ]
}
