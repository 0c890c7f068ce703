import type { Migration } from "./migration.ts"

export const hosts: Migration = {
  id: 2,
  name: "hosts",
  statements: [
    // One row for each machine, whichever organizations see it: what a claim locks, so that caps hold over all of them.
    `CREATE TABLE machines (id uuid PRIMARY KEY)`,
    `CREATE TABLE hosts (
      id uuid NOT NULL,
      organization_id uuid NOT NULL REFERENCES organizations (id),
      machine_id uuid NOT NULL REFERENCES machines (id),
      name text NOT NULL,
      platform text NOT NULL,
      agents text[] NOT NULL,
      max_concurrent_runs integer NOT NULL,
      status text NOT NULL CONSTRAINT hosts_status CHECK (status IN ('online', 'offline')),
      last_seen_at timestamptz(3) NOT NULL,
      hold_reason text,
      offline_reason text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (organization_id, id),
      CONSTRAINT hosts_machine UNIQUE (machine_id, organization_id)
    )`
  ]
}
