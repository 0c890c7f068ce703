import type { Migration } from "./migration.ts"

/** A service client that is refused asks again, so that its grants but the last can go. */
export const serviceGrants: Migration = {
  id: 14,
  name: "service-grants",
  statements: [
    `DELETE FROM grants AS g USING grants AS later
      WHERE (g.organization_id, g.client_id, g.user_id, g.resource, g.scope)
          = (later.organization_id, later.client_id, later.user_id, later.resource, later.scope)
        AND g.redirect_uri IS NULL AND g.revoked_at IS NULL
        AND later.redirect_uri IS NULL AND later.revoked_at IS NULL AND later.id > g.id`,
    `CREATE UNIQUE INDEX grants_of_service ON grants (organization_id, client_id, user_id, resource, scope)
      WHERE redirect_uri IS NULL AND revoked_at IS NULL`
  ]
}
