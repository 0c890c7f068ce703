import type { MachineId, Timestamp, WorktreeEvent, WorktreeRef, WorktreeRequest } from "@coppice/core"
import type { AgentSessionId, ProjectId, WorkspaceId } from "@coppice/core"
import { Cause, DateTime, Effect, Exit, Scope, Stream } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { LocalHostOptions } from "../src/index.ts"
import { makeLocalHost } from "../src/index.ts"

let counter = 0

/** A new UUIDv7; its time is of no interest here. */
export const uuid = (): string => {
  const hex = (length: number) => Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join("")
  return `${Date.now().toString(16).padStart(12, "0").slice(0, 8)}-${Date.now().toString(16).padStart(12, "0").slice(8)}-7${hex(3)}-8${(counter++ % 4096).toString(16).padStart(3, "0")}-${hex(12)}`
}
export const workspaceId = () => uuid() as WorkspaceId
export const sessionId = () => uuid() as AgentSessionId
export const projectId = () => uuid() as ProjectId

export const soon = (millis = 60_000): Timestamp => DateTime.makeUnsafe(Date.now() + millis)

export const fixture = (name: string): string => new URL(`./fixtures/${name}`, import.meta.url).pathname

/** A folder that is gone when the test has finished. */
export const temporaryFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-git-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A test's own world: an operator's home with a Git configuration, a folder for repositories, and a host. */
export const sandbox = async (given: Partial<LocalHostOptions> & { readonly globalConfig?: string } = {}) => {
  const { globalConfig = "", ...options } = given
  const folder = temporaryFolder()
  const operatorHome = join(folder, "operator")
  const code = join(folder, "code")
  const home = join(folder, "data")
  for (const each of [operatorHome, code]) mkdirSync(each)
  writeFileSync(
    join(operatorHome, ".gitconfig"),
    `[user]\n\tname = Operator\n\temail = operator@example.com\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n${globalConfig}`
  )
  const environment: Record<string, string | undefined> = {
    PATH: process.env["PATH"],
    TMPDIR: process.env["TMPDIR"],
    LANG: "C.UTF-8",
    HOME: operatorHome,
    GIT_CONFIG_NOSYSTEM: "1",
    ...options.environment
  }
  const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
    execFileSync("git", [...args], { cwd, env: environment as NodeJS.ProcessEnv, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd()
  const machineId = uuid() as MachineId
  const scope = Effect.runSync(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const hostOptions: LocalHostOptions = {
    machineId,
    home,
    repositoryRoots: [code],
    agents: [],
    terminateGraceMillis: 300,
    ...options,
    environment
  }
  const gateway = await Effect.runPromise(makeLocalHost(hostOptions).pipe(Scope.provide(scope)))
  const host = await Effect.runPromise(gateway.connect({ machineId, name: "here" }))

  /** A repository with a file and a commit. */
  const repository = (name = "app", files: Readonly<Record<string, string>> = { "README.md": "# App\n" }): string => {
    const path = join(code, name)
    mkdirSync(path, { recursive: true })
    git(path, "init", "--quiet")
    write(path, files)
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "--allow-empty", "-m", "First")
    return path
  }
  const request = (repositoryPath: string, more: Partial<WorktreeRequest> = {}): WorktreeRequest => ({
    workspaceId: workspaceId(),
    projectId: projectId(),
    repositoryPath,
    trusted: false,
    branch: `coppice/work-${counter++}`,
    existingBranch: false,
    base: "main",
    deadline: soon(),
    ...more
  })
  const events = (given: WorktreeRequest): Promise<ReadonlyArray<WorktreeEvent>> =>
    Effect.runPromise(Stream.runCollect(host.worktrees.create(given)))
  const create = async (given: WorktreeRequest): Promise<WorktreeRef> => {
    const ready = (await events(given)).at(-1)
    if (ready?._tag !== "Ready") throw new Error("not ready")
    const { workspaceId, repositoryPath, trusted, branch } = given
    return { workspaceId, repositoryPath, trusted, branch, path: ready.path, baseCommit: ready.baseCommit }
  }
  return { folder, code, home, operatorHome, environment, hostOptions, machineId, gateway, host, git, repository, request, events, create }
}
export type Sandbox = Awaited<ReturnType<typeof sandbox>>

export const write = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

/** The error that an effect or a stream's collection fails with. */
export const failureOf = async <A, E>(effect: Effect.Effect<A, E>): Promise<E> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) throw new Error(`It succeeded with ${JSON.stringify(exit.value)}`)
  const found = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  if (found === undefined) throw new Error(Cause.pretty(exit.cause))
  return found.error
}

/** Waits until something holds; for what another process does. */
export const until = async (holds: () => boolean | Promise<boolean>, millis = 10_000): Promise<void> => {
  const end = Date.now() + millis
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It did not come about: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(execFileSync("cat", [`/proc/${pid}/stat`], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
  } catch {
    return false
  }
}
