/** Looks again until there is something to see, and says in the end what it waited for and what it saw. */
export const eventually = async <A>(
  what: string,
  look: () => Promise<A | undefined | false> | A | undefined | false,
  { everyMillis = 50, forMillis = 20_000, otherwise = (): string => "" } = {}
): Promise<A> => {
  const deadline = performance.now() + forMillis
  while (true) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (performance.now() > deadline) throw new Error(`Waited ${forMillis} ms in vain: ${what}\n${otherwise()}`)
    await new Promise((resolve) => setTimeout(resolve, everyMillis))
  }
}
