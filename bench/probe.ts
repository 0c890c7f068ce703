// Preloaded into servers that are measured: for each SIGUSR2 it prints how much processor time they have used, and with
// BENCH_WEIGH what they hold and occupy once everything else is cleared away.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

process.on("SIGUSR2", () => {
  if (process.env["BENCH_WEIGH"] !== undefined) collect()
  const { system, user } = process.cpuUsage()
  const { arrayBuffers, heapUsed, rss } = process.memoryUsage()
  console.log(JSON.stringify({ processorSeconds: (system + user) / 1e6, heldBytes: heapUsed + arrayBuffers, residentBytes: rss }))
})
