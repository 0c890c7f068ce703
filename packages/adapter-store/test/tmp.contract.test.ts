import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { Effect, Layer, Redacted } from "effect"
import { postgresLayer, storeLayer } from "../src/index.ts"
import { migratedDatabase } from "./replica.ts"
import { apiKeyStoreContract } from "../../testkit/src/contract/api-key-store.ts"
import { hostStoreContract } from "../../testkit/src/contract/host-store.ts"
import { organizationStoreContract } from "../../testkit/src/contract/organization-store.ts"
import { projectStoreContract } from "../../testkit/src/contract/project-store.ts"
const layer = Layer.unwrap(Effect.map(migratedDatabase, (url) => Layer.provide(storeLayer, postgresLayer({ url: Redacted.make(url) }))))
describePostgres("PostgreSQL", () => {
  for (const contract of [apiKeyStoreContract, hostStoreContract, organizationStoreContract, projectStoreContract]) contract(contract.port, layer, { clock: "real" })
})
