import { readFileSync } from "node:fs"

/** The version that the service says it has. */
export const version: string = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version
