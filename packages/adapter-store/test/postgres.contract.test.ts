import { storeContracts } from "@coppice/testkit/contract"
import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { onPostgres } from "./store-layers.ts"

describePostgres("the stores", () => storeContracts("on a PostgreSQL server", onPostgres, { clock: "real" }))
