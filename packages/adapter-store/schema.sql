-- What the migrations make: written by test/migrate.test.ts, read by people. Never run.

CREATE TABLE access_tokens (
  hash text NOT NULL,
  organization_id uuid NOT NULL,
  grant_id uuid NOT NULL,
  scope text[] NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT access_tokens_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT access_tokens_organization_id_grant_id_fkey FOREIGN KEY (organization_id, grant_id) REFERENCES grants(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT access_tokens_pkey PRIMARY KEY (hash)
);
CREATE INDEX access_tokens_expired ON public.access_tokens USING btree (expires_at);
CREATE INDEX access_tokens_of_grant ON public.access_tokens USING btree (organization_id, grant_id);

CREATE TABLE agent_sessions (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  agent text NOT NULL,
  title text NOT NULL,
  status text NOT NULL,
  exit_code integer,
  failure_reason text,
  failure_message text,
  started_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT agent_sessions_failure CHECK (((failure_reason IS NULL) = (failure_message IS NULL))),
  CONSTRAINT agent_sessions_failure_reason CHECK ((failure_reason = ANY (ARRAY['setup'::text, 'workspace'::text, 'agent_unavailable'::text, 'agent_exit'::text, 'timeout'::text, 'host_lost'::text, 'interrupted'::text]))),
  CONSTRAINT agent_sessions_status CHECK ((status = ANY (ARRAY['starting'::text, 'running'::text, 'awaiting_input'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'lost'::text]))),
  CONSTRAINT agent_sessions_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT agent_sessions_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX agent_sessions_by_workspace ON public.agent_sessions USING btree (organization_id, workspace_id, id);
CREATE INDEX agent_sessions_unsettled ON public.agent_sessions USING btree (organization_id, workspace_id) WHERE (status = ANY (ARRAY['starting'::text, 'running'::text, 'awaiting_input'::text, 'lost'::text]));

CREATE TABLE api_keys (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  hash text NOT NULL,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  access text NOT NULL,
  project_ids uuid[],
  last_used_at timestamp(3) with time zone,
  CONSTRAINT api_keys_access CHECK ((access = ANY (ARRAY['read'::text, 'full'::text]))),
  CONSTRAINT api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT api_keys_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT api_keys_hash UNIQUE (hash)
);

CREATE TABLE audit_entries (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  action text NOT NULL,
  actor_id uuid,
  subject text NOT NULL,
  subject_id text,
  address text NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  CONSTRAINT audit_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT audit_entries_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_entries_old ON public.audit_entries USING btree (at);

CREATE TABLE authorization_codes (
  hash text NOT NULL,
  organization_id uuid NOT NULL,
  grant_id uuid NOT NULL,
  code_challenge text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  redeemed_at timestamp(3) with time zone,
  misses integer NOT NULL DEFAULT 0,
  CONSTRAINT authorization_codes_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT authorization_codes_organization_id_grant_id_fkey FOREIGN KEY (organization_id, grant_id) REFERENCES grants(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT authorization_codes_pkey PRIMARY KEY (hash)
);
CREATE INDEX authorization_codes_expired ON public.authorization_codes USING btree (expires_at);
CREATE INDEX authorization_codes_of_grant ON public.authorization_codes USING btree (organization_id, grant_id);

CREATE TABLE authorization_requests (
  id uuid NOT NULL,
  client_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  scope text[] NOT NULL,
  resource text NOT NULL,
  code_challenge text NOT NULL,
  state text,
  nonce text,
  issuer text NOT NULL,
  visit text NOT NULL,
  user_id uuid,
  created_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  authenticated_after timestamp(3) with time zone,
  CONSTRAINT authorization_requests_visit_check CHECK ((visit ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT authorization_requests_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE,
  CONSTRAINT authorization_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT authorization_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX authorization_requests_expired ON public.authorization_requests USING btree (expires_at);
CREATE INDEX authorization_requests_of_client ON public.authorization_requests USING btree (client_id);

CREATE TABLE automations (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  prompt text NOT NULL,
  agent text NOT NULL,
  project_id uuid NOT NULL,
  workspace_mode text NOT NULL,
  workspace_id uuid,
  timeout_seconds integer NOT NULL,
  max_concurrent_runs integer,
  max_attempts integer NOT NULL,
  owner_id uuid NOT NULL,
  webhook_token_hash text,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  webhook_token_at timestamp(3) with time zone,
  CONSTRAINT automations_status CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text]))),
  CONSTRAINT automations_workspace_mode CHECK ((workspace_mode = ANY (ARRAY['fresh'::text, 'reuse'::text]))),
  CONSTRAINT automations_organization_id_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES projects(organization_id, id),
  CONSTRAINT automations_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE SET NULL (workspace_id),
  CONSTRAINT automations_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users(id),
  CONSTRAINT automations_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT automations_id UNIQUE (id),
  CONSTRAINT automations_name_taken UNIQUE (organization_id, name)
);
CREATE INDEX automations_by_project ON public.automations USING btree (organization_id, project_id, id);

CREATE TABLE browser_sessions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  hash text NOT NULL,
  address text NOT NULL,
  user_agent text NOT NULL,
  authenticated_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT browser_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT browser_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT browser_sessions_hash UNIQUE (hash)
);
CREATE INDEX browser_sessions_by_user ON public.browser_sessions USING btree (user_id, id);
CREATE INDEX browser_sessions_expired ON public.browser_sessions USING btree (expires_at);

CREATE TABLE grants (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  client_id uuid NOT NULL,
  redirect_uri text,
  scope text[] NOT NULL,
  resource text NOT NULL,
  nonce text,
  authenticated_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone NOT NULL,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE,
  CONSTRAINT grants_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT grants_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX grants_of_client ON public.grants USING btree (client_id);
CREATE UNIQUE INDEX grants_of_service ON public.grants USING btree (organization_id, client_id, user_id, resource, scope) WHERE ((redirect_uri IS NULL) AND (revoked_at IS NULL));
CREATE INDEX grants_of_user ON public.grants USING btree (organization_id, user_id, id) WHERE (revoked_at IS NULL);
CREATE INDEX grants_over ON public.grants USING btree (LEAST(expires_at, revoked_at));

CREATE TABLE hosts (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  machine_id uuid NOT NULL,
  name text NOT NULL,
  platform text NOT NULL,
  agents text[] NOT NULL,
  max_concurrent_runs integer NOT NULL,
  status text NOT NULL,
  last_seen_at timestamp(3) with time zone NOT NULL,
  hold_reason text,
  offline_reason text,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT hosts_status CHECK ((status = ANY (ARRAY['online'::text, 'offline'::text]))),
  CONSTRAINT hosts_machine_id_fkey FOREIGN KEY (machine_id) REFERENCES machines(id),
  CONSTRAINT hosts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT hosts_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT hosts_machine UNIQUE (machine_id, organization_id)
);

CREATE TABLE idempotent_calls (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  begun_by uuid NOT NULL,
  result text,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT idempotent_calls_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT idempotent_calls_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT idempotent_calls_pkey PRIMARY KEY (organization_id, user_id, key)
);
CREATE INDEX idempotent_calls_expired ON public.idempotent_calls USING btree (expires_at);

CREATE TABLE invitations (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  role text NOT NULL,
  hash text NOT NULL,
  invited_by uuid NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT invitations_role CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  CONSTRAINT invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT invitations_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT invitations_address UNIQUE (organization_id, email_key),
  CONSTRAINT invitations_hash UNIQUE (hash)
);
CREATE INDEX invitations_expired ON public.invitations USING btree (expires_at);

CREATE TABLE machines (
  id uuid NOT NULL,
  CONSTRAINT machines_pkey PRIMARY KEY (id)
);

CREATE TABLE mcp_messages (
  session_id text NOT NULL,
  sequence integer NOT NULL,
  json text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT mcp_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES mcp_sessions(id) ON DELETE CASCADE,
  CONSTRAINT mcp_messages_pkey PRIMARY KEY (session_id, sequence)
);
CREATE INDEX mcp_messages_old ON public.mcp_messages USING btree (created_at);

CREATE TABLE mcp_questions (
  session_id text NOT NULL,
  key text NOT NULL,
  answer text,
  CONSTRAINT mcp_questions_session_id_fkey FOREIGN KEY (session_id) REFERENCES mcp_sessions(id) ON DELETE CASCADE,
  CONSTRAINT mcp_questions_pkey PRIMARY KEY (session_id, key)
);

CREATE TABLE mcp_sessions (
  id text NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  credential text NOT NULL,
  protocol_version text NOT NULL,
  client_name text NOT NULL,
  client_version text NOT NULL,
  log_level text NOT NULL,
  stream integer NOT NULL DEFAULT 0,
  last_message integer NOT NULL DEFAULT 0,
  expires_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  elicits boolean NOT NULL DEFAULT false,
  CONSTRAINT mcp_sessions_log_level CHECK ((log_level = ANY (ARRAY['debug'::text, 'info'::text, 'notice'::text, 'warning'::text, 'error'::text, 'critical'::text, 'alert'::text, 'emergency'::text]))),
  CONSTRAINT mcp_sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT mcp_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT mcp_sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX mcp_sessions_by_credential ON public.mcp_sessions USING btree (organization_id, credential, updated_at);
CREATE INDEX mcp_sessions_expired ON public.mcp_sessions USING btree (expires_at);

CREATE TABLE mcp_subscriptions (
  session_id text NOT NULL,
  uri text NOT NULL,
  revision text NOT NULL,
  CONSTRAINT mcp_subscriptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES mcp_sessions(id) ON DELETE CASCADE,
  CONSTRAINT mcp_subscriptions_pkey PRIMARY KEY (session_id, uri)
);

CREATE TABLE members (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT members_role CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  CONSTRAINT members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT members_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT members_user UNIQUE (organization_id, user_id)
);

CREATE TABLE oauth_clients (
  id uuid NOT NULL,
  name text,
  redirect_uris text[] NOT NULL,
  grant_types text[] NOT NULL,
  auth_method text NOT NULL,
  scope text[],
  secret_hash text,
  organization_id uuid,
  user_id uuid,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT oauth_clients_auth_method CHECK ((auth_method = ANY (ARRAY['none'::text, 'client_secret_basic'::text, 'client_secret_post'::text]))),
  CONSTRAINT oauth_clients_grant_types CHECK ((grant_types <@ ARRAY['authorization_code'::text, 'refresh_token'::text, 'client_credentials'::text])),
  CONSTRAINT oauth_clients_secret CHECK (((secret_hash IS NULL) = (auth_method = 'none'::text))),
  CONSTRAINT oauth_clients_secret_hash_check CHECK ((secret_hash ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT oauth_clients_service CHECK (((organization_id IS NULL) = (user_id IS NULL))),
  CONSTRAINT oauth_clients_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT oauth_clients_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT oauth_clients_pkey PRIMARY KEY (id)
);
CREATE INDEX oauth_clients_of_service ON public.oauth_clients USING btree (organization_id, id) WHERE (organization_id IS NOT NULL);
CREATE INDEX oauth_clients_registered ON public.oauth_clients USING btree (created_at) WHERE (organization_id IS NULL);

CREATE TABLE organizations (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT organizations_pkey PRIMARY KEY (id)
);

CREATE TABLE projects (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  host_id uuid NOT NULL,
  repository_path text NOT NULL,
  repository_url text,
  base_branch text NOT NULL,
  setup text,
  trusted boolean NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT projects_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id),
  CONSTRAINT projects_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT projects_name_taken UNIQUE (organization_id, name)
);

CREATE UNLOGGED TABLE rate_windows WITH (fillfactor=50) (
  key text NOT NULL,
  count integer NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT rate_windows_pkey PRIMARY KEY (key)
);

CREATE TABLE refresh_tokens (
  hash text NOT NULL,
  organization_id uuid NOT NULL,
  grant_id uuid NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  rotated_at timestamp(3) with time zone,
  reuses integer NOT NULL DEFAULT 0,
  CONSTRAINT refresh_tokens_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT refresh_tokens_organization_id_grant_id_fkey FOREIGN KEY (organization_id, grant_id) REFERENCES grants(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash)
);
CREATE INDEX refresh_tokens_expired ON public.refresh_tokens USING btree (expires_at);
CREATE INDEX refresh_tokens_of_grant ON public.refresh_tokens USING btree (organization_id, grant_id);

CREATE TABLE run_event_heads WITH (fillfactor=50) (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  last_sequence integer NOT NULL,
  output_bytes bigint NOT NULL,
  CONSTRAINT run_event_heads_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT run_event_heads_pkey PRIMARY KEY (organization_id, run_id)
);

CREATE TABLE run_events (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  sequence integer NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  type text NOT NULL,
  attempt integer NOT NULL,
  status text,
  stream text,
  text text,
  text_bytes integer NOT NULL,
  bytes bigint,
  CONSTRAINT run_events_status CHECK ((status = ANY (ARRAY['queued'::text, 'preparing'::text, 'running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT run_events_stream CHECK ((stream = ANY (ARRAY['stdout'::text, 'stderr'::text]))),
  CONSTRAINT run_events_type CHECK ((type = ANY (ARRAY['status'::text, 'progress'::text, 'setup_output'::text, 'output'::text, 'output_dropped'::text]))),
  CONSTRAINT run_events_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES run_event_heads(organization_id, run_id) ON DELETE CASCADE,
  CONSTRAINT run_events_pkey PRIMARY KEY (organization_id, run_id, sequence)
);

CREATE TABLE run_payloads (
  organization_id uuid NOT NULL,
  run_id uuid NOT NULL,
  payload bytea NOT NULL,
  CONSTRAINT run_payloads_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES runs(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT run_payloads_pkey PRIMARY KEY (organization_id, run_id)
);

CREATE TABLE runs (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  automation_id uuid NOT NULL,
  project_id uuid NOT NULL,
  host_id uuid NOT NULL,
  status text NOT NULL,
  trigger text NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  fence bigint NOT NULL DEFAULT 0,
  retry_of uuid,
  workspace_id uuid,
  agent_session_id uuid,
  exit_code integer,
  failure_reason text,
  failure_message text,
  lease_expires_at timestamp with time zone,
  cancel_requested_at timestamp(3) with time zone,
  started_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  forgotten_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT runs_end CHECK (((ended_at IS NOT NULL) = (status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text])))),
  CONSTRAINT runs_failure CHECK (((failure_reason IS NULL) = (failure_message IS NULL))),
  CONSTRAINT runs_failure_reason CHECK ((failure_reason = ANY (ARRAY['setup'::text, 'workspace'::text, 'agent_unavailable'::text, 'agent_exit'::text, 'timeout'::text, 'host_lost'::text, 'interrupted'::text]))),
  CONSTRAINT runs_lease CHECK (((lease_expires_at IS NOT NULL) = (status = ANY (ARRAY['preparing'::text, 'running'::text, 'waiting'::text])))),
  CONSTRAINT runs_status CHECK ((status = ANY (ARRAY['queued'::text, 'preparing'::text, 'running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT runs_trigger CHECK ((trigger = ANY (ARRAY['webhook'::text, 'manual'::text]))),
  CONSTRAINT runs_organization_id_agent_session_id_fkey FOREIGN KEY (organization_id, agent_session_id) REFERENCES agent_sessions(organization_id, id) ON DELETE SET NULL (agent_session_id),
  CONSTRAINT runs_organization_id_automation_id_fkey FOREIGN KEY (organization_id, automation_id) REFERENCES automations(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT runs_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE SET NULL (workspace_id),
  CONSTRAINT runs_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX runs_active ON public.runs USING btree (host_id) INCLUDE (automation_id) WHERE (status = ANY (ARRAY['preparing'::text, 'running'::text, 'waiting'::text]));
CREATE INDEX runs_by_agent_session ON public.runs USING btree (organization_id, agent_session_id) WHERE (agent_session_id IS NOT NULL);
CREATE INDEX runs_by_automation ON public.runs USING btree (automation_id, id);
CREATE INDEX runs_by_project ON public.runs USING btree (project_id, id);
CREATE INDEX runs_by_workspace ON public.runs USING btree (organization_id, workspace_id) WHERE (workspace_id IS NOT NULL);
CREATE INDEX runs_ended ON public.runs USING btree (organization_id, status, id) WHERE (status = ANY (ARRAY['failed'::text, 'cancelled'::text]));
CREATE INDEX runs_queued ON public.runs USING btree (host_id, id) INCLUDE (automation_id) WHERE (status = 'queued'::text);
CREATE INDEX runs_to_forget ON public.runs USING btree (ended_at) WHERE ((ended_at IS NOT NULL) AND (forgotten_at IS NULL));

CREATE TABLE schema_migrations (
  id integer NOT NULL,
  name text NOT NULL,
  applied_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (id)
);

CREATE TABLE signing_keys (
  id uuid NOT NULL,
  public_jwk text NOT NULL,
  private_jwk text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  signs_from timestamp(3) with time zone NOT NULL,
  retires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (id)
);

CREATE TABLE task_statuses (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  position integer NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT task_statuses_type CHECK ((type = ANY (ARRAY['backlog'::text, 'unstarted'::text, 'started'::text, 'completed'::text, 'cancelled'::text]))),
  CONSTRAINT task_statuses_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT task_statuses_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT task_statuses_name_taken UNIQUE (organization_id, name)
);

CREATE TABLE tasks (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  slug text NOT NULL,
  title text NOT NULL,
  title_key text NOT NULL,
  description text NOT NULL,
  status_id uuid NOT NULL,
  priority text NOT NULL,
  assignee_id uuid,
  estimate double precision,
  due_at timestamp(3) with time zone,
  labels text[] NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT tasks_priority CHECK ((priority = ANY (ARRAY['urgent'::text, 'high'::text, 'medium'::text, 'low'::text, 'none'::text]))),
  CONSTRAINT tasks_organization_id_assignee_id_fkey FOREIGN KEY (organization_id, assignee_id) REFERENCES members(organization_id, user_id) ON DELETE SET NULL (assignee_id),
  CONSTRAINT tasks_organization_id_status_id_fkey FOREIGN KEY (organization_id, status_id) REFERENCES task_statuses(organization_id, id),
  CONSTRAINT tasks_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT tasks_slug_taken UNIQUE (organization_id, slug)
);
CREATE INDEX tasks_by_assignee ON public.tasks USING btree (organization_id, assignee_id, id) WHERE (assignee_id IS NOT NULL);
CREATE INDEX tasks_by_status ON public.tasks USING btree (organization_id, status_id, id);

CREATE TABLE user_passwords (
  user_id uuid NOT NULL,
  hash text NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT user_passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT user_passwords_pkey PRIMARY KEY (user_id)
);

CREATE TABLE users (
  id uuid NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  name text NOT NULL,
  active_organization_id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT users_active_organization_id_fkey FOREIGN KEY (active_organization_id) REFERENCES organizations(id),
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_email_taken UNIQUE (email_key)
);

CREATE TABLE webhook_refusals WITH (fillfactor=50) (
  automation_id uuid NOT NULL,
  code text NOT NULL,
  message text NOT NULL,
  count integer NOT NULL,
  first_at timestamp(3) with time zone NOT NULL,
  last_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT webhook_refusals_automation_id_fkey FOREIGN KEY (automation_id) REFERENCES automations(id) ON DELETE CASCADE,
  CONSTRAINT webhook_refusals_pkey PRIMARY KEY (automation_id, code)
);

CREATE TABLE workspaces (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  project_id uuid NOT NULL,
  host_id uuid NOT NULL,
  status text NOT NULL,
  branch text NOT NULL,
  base_branch text NOT NULL,
  base_commit text,
  path text,
  failure_reason text,
  failure_message text,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  task_id uuid,
  CONSTRAINT workspaces_failure CHECK (((failure_reason IS NULL) = (failure_message IS NULL))),
  CONSTRAINT workspaces_failure_reason CHECK ((failure_reason = ANY (ARRAY['setup'::text, 'workspace'::text, 'agent_unavailable'::text, 'agent_exit'::text, 'timeout'::text, 'host_lost'::text, 'interrupted'::text]))),
  CONSTRAINT workspaces_status CHECK ((status = ANY (ARRAY['creating'::text, 'ready'::text, 'failed'::text, 'deleting'::text, 'deleted'::text]))),
  CONSTRAINT workspaces_organization_id_host_id_fkey FOREIGN KEY (organization_id, host_id) REFERENCES hosts(organization_id, id),
  CONSTRAINT workspaces_organization_id_project_id_fkey FOREIGN KEY (organization_id, project_id) REFERENCES projects(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT workspaces_organization_id_task_id_fkey FOREIGN KEY (organization_id, task_id) REFERENCES tasks(organization_id, id) ON DELETE SET NULL (task_id),
  CONSTRAINT workspaces_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX workspaces_by_project ON public.workspaces USING btree (organization_id, project_id, id);
CREATE INDEX workspaces_by_task ON public.workspaces USING btree (organization_id, task_id, id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX workspaces_name_taken ON public.workspaces USING btree (project_id, name) WHERE (status <> 'deleted'::text);
CREATE INDEX workspaces_unsettled ON public.workspaces USING btree (host_id) WHERE (status = ANY (ARRAY['creating'::text, 'deleting'::text]));
