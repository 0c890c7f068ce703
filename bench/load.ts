import autocannon from "autocannon"
import type { Target } from "./seed.ts"

export interface LoadResult {
  readonly requestsPerSecond: number
  readonly accepted: number
  readonly p50Millis: number
  readonly p99Millis: number
}

/** A JSON object of that many bytes. */
export const bodyOf = (bytes: number): string => {
  const empty = JSON.stringify({ text: "" })
  return JSON.stringify({ text: "x".repeat(bytes - empty.length) })
}

/** Posts the body to the targets in turn, over that many connections. Anything but a 200 ends the benchmark. */
export const postWebhooks = async (url: string, targets: ReadonlyArray<Target>, options: {
  readonly connections: number
  readonly body: string
  readonly seconds?: number
  readonly amount?: number
}): Promise<LoadResult> => {
  const result = await autocannon({
    url,
    connections: options.connections,
    ...(options.amount === undefined ? { duration: options.seconds ?? 5 } : { amount: options.amount }),
    requests: targets.map(({ path, token }) => ({
      method: "POST",
      path,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: options.body
    }))
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no 200, ${result.errors} requests failed`)
  }
  return {
    requestsPerSecond: result["2xx"] / result.duration,
    accepted: result["2xx"],
    p50Millis: result.latency.p50,
    p99Millis: result.latency.p99
  }
}

export const median = (numbers: ReadonlyArray<number>): number => quantile(numbers, 0.5)

export const quantile = (numbers: ReadonlyArray<number>, part: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
