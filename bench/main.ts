// `npm run bench [-- --json] [throughput|pickup|memory|start …]`: ratios measured in one run, and how each was measured.
import { startPostgres } from "@coppice/testkit/postgres"
import { Effect } from "effect"
import { cpus, totalmem } from "node:os"
import type { Result } from "./result.ts"
import { secondStart } from "./second-start.ts"
import { webhookMemory } from "./webhook-memory.ts"
import { webhookPickup } from "./webhook-pickup.ts"
import { webhookThroughput } from "./webhook-throughput.ts"

const benchmarks = { throughput: webhookThroughput, pickup: webhookPickup, memory: webhookMemory, start: secondStart }
type Name = keyof typeof benchmarks

const args = process.argv.slice(2)
const json = args.includes("--json")
const names = (Object.keys(benchmarks) as Array<Name>).filter((name) =>
  args.every((argument) => argument.startsWith("-")) || args.includes(name))

const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}`

const program = Effect.gen(function*() {
  const postgres = yield* startPostgres()
  const results: Array<Result> = []
  for (const name of names) {
    if (!json) console.log(`measuring ${name} …`)
    const result = yield* Effect.promise(() => benchmarks[name](postgres))
    results.push(result)
    if (json) continue
    console.log(`\n${result.name}\n  ${result.value.toFixed(2)} (${result.reach}: ${result.met ? "met" : "NOT met"})`)
    for (const [key, value] of Object.entries(result.details)) console.log(`  ${key}: ${value}`)
    console.log(`  how: ${result.how}\n`)
  }
  if (json) console.log(JSON.stringify({ machine, results }))
  else console.log(`on ${machine}`)
})

await Effect.runPromise(Effect.scoped(program))
