import { storeContracts } from "@coppice/testkit/contract"
import { onEmbedded } from "./store-layers.ts"

storeContracts("the stores on an embedded database", onEmbedded, { clock: "real" })
