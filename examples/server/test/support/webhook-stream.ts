import type { Site } from "./site.ts"

/** The same numbers for the same seed (mulberry32). */
export const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

interface Hook {
  readonly url: string
  readonly token: string
}

/** Sends webhooks one after another, whatever becomes of each, until it is told to stop. Without a payload it sends none. */
export const streamWebhooks = (site: Site, hooks: ReadonlyArray<Hook>, options: {
  readonly everyMillis: number
  readonly payload?: () => object | undefined
}) => {
  const under = new Set<Promise<unknown>>()
  let sent = 0
  const timer = setInterval(() => {
    const payload = options.payload === undefined ? {} : options.payload()
    if (payload === undefined) return
    const sending = site.client.send(hooks[sent++ % hooks.length]!, payload)
    under.add(sending)
    void sending.finally(() => under.delete(sending))
  }, options.everyMillis)
  return {
    /** Resolves once the last request has its answer, or will never have one. */
    stop: async () => {
      clearInterval(timer)
      await Promise.all(under)
    }
  }
}
