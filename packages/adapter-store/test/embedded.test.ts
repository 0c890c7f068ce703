import { embeddedLayer } from "../src/embedded.ts"
import { clientBehaviour } from "./client-behaviour.ts"
import { temporaryDirectory } from "./temporary-directory.ts"

clientBehaviour("the embedded database", embeddedLayer({ directory: temporaryDirectory() }))
