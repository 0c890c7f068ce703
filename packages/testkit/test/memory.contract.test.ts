import { storeContracts } from "@coppice/testkit/contract"
import { memoryLayer } from "@coppice/testkit/memory"

storeContracts("memory", memoryLayer, { clock: "test" })
