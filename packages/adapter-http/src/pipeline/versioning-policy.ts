import type { Endpoint } from "../endpoint.ts"

/** For how long a deprecated surface is served at least before it goes. */
export const noticeDays = 90

const dayMillis = 24 * 60 * 60 * 1000

const notice = (path: string, from: Date, to: Date): ReadonlyArray<string> => {
  const days = (to.getTime() - from.getTime()) / dayMillis
  return days >= noticeDays ? [] : [`${path} would go after ${days} days of notice.`]
}

/** Whether one paragraph names the path, and says what becomes of it. */
const isAnnounced = (announcements: string, path: string, word: RegExp): boolean =>
  announcements.split(/\n\s*\n/).some((paragraph) => paragraph.includes(`\`${path}\``) && word.test(paragraph))

/** Where a catalogue breaks the promise on versions, given all that the changelog and its pending entries say. */
export const versioningFaults = <R>(catalog: ReadonlyArray<Endpoint<R>>, announcements: string): ReadonlyArray<string> => {
  const served = new Set(catalog.flatMap((endpoint) => "removed" in endpoint ? [] : endpoint.paths))
  const successor = (path: string, to: string) => served.has(to) ? [] : [`${path} points to ${to}, which is not served.`]
  const announced = (path: string, word: RegExp) =>
    isAnnounced(announcements, path, word) ? [] : [`No changelog entry says what becomes of ${path}.`]
  return catalog.flatMap((endpoint) =>
    endpoint.paths.flatMap((path): ReadonlyArray<string> => {
      if ("removed" in endpoint) {
        const { replacement, served } = endpoint.removed
        return [
          ...successor(path, replacement),
          ...announced(path, /\bremoved\b/i),
          ...served === "never" ? [] : notice(path, served.deprecated, served.removed)
        ]
      }
      if (endpoint.deprecated === undefined) return []
      const { since, successor: to, sunset } = endpoint.deprecated
      return [...successor(path, to), ...announced(path, /\bdeprecated\b/i), ...notice(path, since, sunset)]
    })
  )
}
