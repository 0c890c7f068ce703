import { type ApiKey, ApiKeyId, newId, now } from "@coppice/core"
import { ApiKeyStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { seedHash, type Tenant } from "../seed.ts"

/** A key of a tenant's owner, with its hash. */
export const seedKey = Effect.fnUntraced(function*(
  { organization, user }: Pick<Tenant, "organization" | "user">,
  fields: Partial<ApiKey> = {}
) {
  const at = yield* now
  const key: ApiKey = {
    id: yield* newId(ApiKeyId),
    organizationId: organization.id,
    userId: user.id,
    name: "Seeded",
    access: "full",
    createdAt: at,
    updatedAt: at,
    ...fields
  }
  const hash = yield* seedHash("apiKey")
  yield* (yield* ApiKeyStore).create(key, hash)
  return { key, hash }
})
