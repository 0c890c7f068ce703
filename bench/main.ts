// `npm run bench [-- --json] [throughput|pickup|memory|start|mcp|flood|streams|oauth …]`: ratios measured in one run, and how each was measured.
import { type PostgresServer, startPostgres } from "@coppice/testkit/postgres"
import { Effect } from "effect"
import { cpus, totalmem } from "node:os"
import { liveTokens } from "./live-tokens.ts"
import { mcpThroughput } from "./mcp-throughput.ts"
import type { Result } from "./result.ts"
import { secondStart } from "./second-start.ts"
import { streamMemory } from "./stream-memory.ts"
import { tokenExchange } from "./token-exchange.ts"
import { webhookMemory } from "./webhook-memory.ts"
import { webhookPickup } from "./webhook-pickup.ts"
import { webhookThroughput } from "./webhook-throughput.ts"
import { wrongBearers } from "./wrong-bearers.ts"

const oauth = async (postgres: PostgresServer): Promise<ReadonlyArray<Result>> => [...await tokenExchange(postgres), await liveTokens(postgres)]

const benchmarks = { throughput: webhookThroughput, pickup: webhookPickup, memory: webhookMemory, start: secondStart, mcp: mcpThroughput, flood: wrongBearers, streams: streamMemory, oauth }
type Name = keyof typeof benchmarks

const args = process.argv.slice(2)
const json = args.includes("--json")
const names = (Object.keys(benchmarks) as Array<Name>).filter((name) =>
  args.every((argument) => argument.startsWith("-")) || args.includes(name))

const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}, ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}`

const print = ({ details, how, met, name, reach, value }: Result): void => {
  console.log(`\n${name}\n  ${value.toFixed(2)} (${reach}: ${met ? "met" : "NOT met"})`)
  for (const [key, detail] of Object.entries(details)) console.log(`  ${key}: ${detail}`)
  console.log(`  how: ${how}\n`)
}

const program = Effect.gen(function*() {
  const postgres = yield* startPostgres()
  const results: Array<Result> = []
  for (const name of names) {
    if (!json) console.log(`measuring ${name} …`)
    const found = [yield* Effect.promise<Result | ReadonlyArray<Result>>(() => benchmarks[name](postgres))].flat()
    results.push(...found)
    if (!json) found.forEach(print)
  }
  if (json) console.log(JSON.stringify({ machine, results }))
  else console.log(`on ${machine}`)
})

await Effect.runPromise(Effect.scoped(program))
