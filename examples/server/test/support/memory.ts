import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Server } from "../../src/demo/child.ts"
import { eventually } from "./eventually.ts"

const mebibyte = 1024 * 1024

/** For the environment of a server whose `heldMebibytes` one wants to know. */
export const heapProbe = `--import ${fileURLToPath(new URL("../fixtures/heap-probe.ts", import.meta.url))}`

/** What a server's program holds, without what is only not yet cleared away. */
export const heldMebibytes = async ({ output, process: child }: Server): Promise<number> => {
  const said = () => [...output().matchAll(/^held: (\d+)$/gm)]
  const before = said().length
  child.kill("SIGUSR2")
  const [, bytes] = await eventually("the server weighs its memory", () => said()[before])
  return Number(bytes) / mebibyte
}

/** What a server occupies, as the system sees it. */
export const residentMebibytes = ({ process: child }: Server): number =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" })) / 1024
