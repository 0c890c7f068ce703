// Presents wrong credentials to a server, each another one, at a fixed rate, until it is told to stop.
import { generateSecret } from "@coppice/core"
import autocannon from "autocannon"
import { Effect } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"

const url = process.env["BENCH_FLOOD_URL"]!
const secrets = await Effect.runPromise(
  Effect.provide(Effect.forEach(Array(50_000), () => generateSecret("apiKey")), layerWebCrypto)
)
let count = 0
/** Every other one looks right. */
const bearer = (): string => count++ % 2 === 0 ? `garbage-${count}` : secrets[(count >> 1) % secrets.length]!

void autocannon({
  url,
  connections: 32,
  duration: 3600,
  overallRate: Number(process.env["BENCH_FLOOD_RATE"]),
  method: "POST",
  body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
  requests: [{
    setupRequest: (request) => ({
      ...request,
      headers: { "content-type": "application/json", authorization: `Bearer ${bearer()}` }
    })
  }]
})
console.log(JSON.stringify({ url }))
