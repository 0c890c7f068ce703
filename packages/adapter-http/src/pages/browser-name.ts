/** In this order: most browsers also name those that they want to be taken for. */
const browsers = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\bFirefox\//],
  ["Chrome", /\b(?:Headless)?Chrome\//],
  ["Safari", /\bSafari\//]
] as const

const systems = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad)\b/],
  ["macOS", /\bMac OS X\b/],
  ["Windows", /\bWindows\b/],
  ["Linux", /\bLinux\b/]
] as const

const match = (names: ReadonlyArray<readonly [string, RegExp]>, userAgent: string) => names.find(([, pattern]) => pattern.test(userAgent))?.[0]

/** What people call the browser that calls itself so. */
export const browserName = (userAgent: string): string => {
  const browser = match(browsers, userAgent)
  const system = match(systems, userAgent)
  if (browser === undefined) return userAgent.slice(0, 40)
  return system === undefined ? browser : `${browser} on ${system}`
}
