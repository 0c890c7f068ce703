import type { Migration } from "./migration.ts"

export const tasks: Migration = {
  id: 7,
  name: "tasks",
  statements: [
    `CREATE TABLE task_statuses (
      id uuid NOT NULL,
      organization_id uuid NOT NULL REFERENCES organizations (id),
      name text NOT NULL,
      type text NOT NULL CONSTRAINT task_statuses_type
        CHECK (type IN ('backlog', 'unstarted', 'started', 'completed', 'cancelled')),
      position integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      CONSTRAINT task_statuses_name_taken UNIQUE (organization_id, name)
    )`,
    // `title_key` is the title as it is searched; folding case in SQL would depend on the database's locale. Who leaves
    // the organization leaves their tasks to it.
    `CREATE TABLE tasks (
      id uuid NOT NULL,
      organization_id uuid NOT NULL,
      slug text NOT NULL,
      title text NOT NULL,
      title_key text NOT NULL,
      description text NOT NULL,
      status_id uuid NOT NULL,
      priority text NOT NULL CONSTRAINT tasks_priority CHECK (priority IN ('urgent', 'high', 'medium', 'low', 'none')),
      assignee_id uuid,
      estimate double precision,
      due_at timestamptz(3),
      labels text[] NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      FOREIGN KEY (organization_id, status_id) REFERENCES task_statuses (organization_id, id),
      FOREIGN KEY (organization_id, assignee_id) REFERENCES members (organization_id, user_id)
        ON DELETE SET NULL (assignee_id),
      CONSTRAINT tasks_slug_taken UNIQUE (organization_id, slug)
    )`,
    `CREATE INDEX tasks_by_status ON tasks (organization_id, status_id, id)`,
    `CREATE INDEX tasks_by_assignee ON tasks (organization_id, assignee_id, id) WHERE assignee_id IS NOT NULL`,
    `ALTER TABLE workspaces ADD COLUMN task_id uuid`,
    `ALTER TABLE workspaces ADD FOREIGN KEY (organization_id, task_id) REFERENCES tasks (organization_id, id)
      ON DELETE SET NULL (task_id)`,
    `CREATE INDEX workspaces_by_task ON workspaces (organization_id, task_id, id) WHERE task_id IS NOT NULL`
  ]
}
