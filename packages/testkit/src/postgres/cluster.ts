// One data folder and the server process on it, without Effect: startPostgres is the way in.
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { chown, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { runnableBinaries } from "./binaries.ts"
import { startJanitor } from "./janitor.ts"
import { killWithChildren, run, serverEnvironment, serverUser } from "./process.ts"

const startMillis = 30_000
const stopMillis = 10_000

export interface Cluster {
  readonly port: number
  readonly password: string
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly kill9: () => Promise<void>
  /** Ends the server and removes everything. */
  readonly remove: () => Promise<void>
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** A fresh data folder whose server does not run yet. */
export const createCluster = async (settings: Readonly<Record<string, string>>): Promise<Cluster> => {
  const user = serverUser()
  // Nobody can reach /tmp, but not always the temporary folder that root has.
  const directory = await mkdtemp(join(user === undefined ? tmpdir() : "/tmp", "coppice-postgres-"))
  if (user !== undefined) await chown(directory, user.uid, user.gid)
  const janitor = startJanitor(directory)
  const data = join(directory, "data")
  const logFile = join(directory, "log")
  const password = crypto.randomUUID()
  const port = await freePort()
  let bin = ""
  let server: ChildProcess | undefined

  const isReady = async (pid: number): Promise<boolean> => {
    const lines = (await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n")
    return lines[0] === String(pid) && lines[7]?.trim() === "ready"
  }

  const start = async (): Promise<void> => {
    if (server !== undefined) return
    const all = {
      listen_addresses: "127.0.0.1",
      // Tests talk TCP, and the path of a socket here might be longer than a socket's path may be.
      unix_socket_directories: "",
      max_connections: "200",
      shared_buffers: "64MB",
      ...settings
    }
    const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const log = await open(logFile, "a")
    const child = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...flags], {
      ...user,
      cwd: "/",
      env: serverEnvironment,
      // A Ctrl-C at the terminal is for the tests: they decide when the server ends.
      detached: true,
      stdio: ["ignore", log.fd, log.fd]
    })
    janitor.watch(child.pid)
    server = child
    child.once("exit", () => {
      server = undefined
      janitor.watch(undefined)
    })
    await once(child, "spawn")
    await log.close()
    const deadline = Date.now() + startMillis
    while (!(await isReady(child.pid!))) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
        const lines = (await readFile(logFile, "utf8")).trim().split("\n")
        throw new Error(`PostgreSQL did not start:\n${lines.slice(-20).join("\n")}`)
      }
      await sleep(5)
    }
  }

  const end = async (how: (pid: number) => void): Promise<void> => {
    const child = server
    if (child === undefined) return
    const exited = once(child, "exit")
    how(child.pid!)
    const late = setTimeout(() => killWithChildren(child.pid!), stopMillis)
    await exited
    clearTimeout(late)
  }

  // "Fast" shutdown: sessions are ended, the data folder is left clean.
  const stop = (): Promise<void> => end((pid) => process.kill(pid, "SIGINT"))

  const remove = async (): Promise<void> => {
    await stop()
    await janitor.finish()
  }

  try {
    bin = await runnableBinaries(directory, user)
    const passwordFile = join(directory, "password")
    await writeFile(passwordFile, password, { mode: 0o600 })
    if (user !== undefined) await chown(passwordFile, user.uid, user.gid)
    const access = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"]
    await run(join(bin, "initdb"), ["-D", data, ...access, "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"], user)
    await rm(passwordFile)
  } catch (error) {
    await janitor.finish()
    throw error
  }

  return { port, password, start, stop, kill9: () => end(killWithChildren), remove }
}
