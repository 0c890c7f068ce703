import { hit, type Limit, type Usage, type Window } from "@coppice/core"

/**
 * How often each address presented what was no credential. The table is bounded: the address that failed longest ago
 * makes room. Only failures come here, so that whoever presents a good credential never waits on it.
 */
export const makeFailedCredentials = (limit: Limit, maxAddresses: number) => {
  const windows = new Map<string, Window>()
  return (address: string, nowMillis: number): Usage => {
    const [window, usage] = hit(limit, windows.get(address), nowMillis)
    windows.delete(address)
    windows.set(address, window)
    if (windows.size > maxAddresses) windows.delete(windows.keys().next().value!)
    return usage
  }
}
