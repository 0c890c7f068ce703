import { idempotencyStoreContract } from "@coppice/testkit/contract"
import { memoryLayer } from "@coppice/testkit/memory"
import { Layer } from "effect"
import { jsonLinesIdempotencyStore } from "../src/index.ts"
import { temporaryFile } from "./temporary-file.ts"

// A contract needs every store, because what one keeps refers to what others keep: the memory adapters are the others. Of
// two layers that provide the same port, `Layer.merge` takes the right one.
idempotencyStoreContract("JSON lines", Layer.merge(memoryLayer, jsonLinesIdempotencyStore(temporaryFile())))
