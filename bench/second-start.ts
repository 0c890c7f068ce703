import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median } from "./load.ts"
import type { Result } from "./result.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const starts = 5

const freePort = async (): Promise<number> => {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Seconds from `npm start` to the first yes of `/readyz`. */
const start = async (home: string): Promise<number> => {
  const port = await freePort()
  const began = performance.now()
  const child = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, COPPICE_HOME: home, PORT: String(port) },
    stdio: "ignore"
  })
  const exited = once(child, "exit")
  const ready = () => fetch(`http://127.0.0.1:${port}/readyz`).then(({ ok }) => ok, () => false)
  while (!(await ready())) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const seconds = (performance.now() - began) / 1000
  child.kill("SIGTERM")
  await exited
  return seconds
}

/** (d) How long a second `npm start` takes, with the embedded database. */
export const secondStart = async (): Promise<Result> => {
  const home = mkdtempSync(join(tmpdir(), "coppice-bench-"))
  try {
    const first = await start(home)
    const again: Array<number> = []
    for (let index = 0; index < starts; index++) again.push(await start(home))
    return {
      name: "(d) seconds from a second npm start to a yes of /readyz",
      value: median(again),
      reach: "at most 3",
      met: median(again) <= 3,
      details: { firstStartSeconds: first.toFixed(1), slowestSeconds: Math.max(...again).toFixed(2) },
      how: `median of ${starts} starts on the embedded database that a first start made, nothing to install or compile`
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
