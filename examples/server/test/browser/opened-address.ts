import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { bareEnvironment } from "../support/client-program.ts"
import { eventually } from "../support/eventually.ts"

/**
 * What a client's program finds around it, and in place of a browser a script that leaves the address which it was to open.
 * Programs find a browser by BROWSER, or by the name of what opens addresses.
 */
export const environmentWithBrowser = () => {
  const bare = bareEnvironment()
  const bin = join(bare.HOME, "bin")
  const left = join(bare.HOME, "opened")
  const script = join(bin, "xdg-open")
  mkdirSync(bin)
  for (const name of [script, join(bin, "open")]) {
    writeFileSync(name, `#!/bin/sh\nprintf %s "$1" >'${left}.part' && mv '${left}.part' '${left}'\n`)
    chmodSync(name, 0o755)
  }
  return {
    env: { ...bare, PATH: bin + delimiter + bare.PATH, BROWSER: script },
    /** Waits until the program sends its user somewhere. */
    opened: async () => {
      await eventually("the client opens a browser", () => existsSync(left), { forMillis: 60_000 })
      const address = readFileSync(left, "utf8")
      rmSync(left)
      return address
    },
    hasOpened: () => existsSync(left)
  }
}
