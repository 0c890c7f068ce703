import type { Migration } from "./migration.ts"

export const webhookRefusals: Migration = {
  id: 10,
  name: "webhook-refusals",
  statements: [
    `CREATE TABLE webhook_refusals (
      automation_id uuid NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
      code text NOT NULL,
      message text NOT NULL,
      count integer NOT NULL,
      first_at timestamptz(3) NOT NULL,
      last_at timestamptz(3) NOT NULL,
      PRIMARY KEY (automation_id, code)
    ) WITH (fillfactor = 50)`,
    // When the tokens that there are were generated is not known; since the last change at the latest.
    `ALTER TABLE automations ADD COLUMN webhook_token_at timestamptz(3)`,
    `UPDATE automations SET webhook_token_at = updated_at WHERE webhook_token_hash IS NOT NULL`
  ]
}
