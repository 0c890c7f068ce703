// A host on this machine, in a folder of its own, with the way behind it that the contracts of host ports ask for.
import type { MachineId } from "@coppice/core"
import { AgentLauncher, Repositories, Worktrees } from "@coppice/core/ports"
import { type FileChanges, HostFixture, type HostPorts } from "@coppice/testkit/contract"
import { Context, Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { makeLocalHost } from "../src/index.ts"
import { uuid } from "./sandbox.ts"

const node = process.execPath

const gitConfig = "[user]\n\tname = Operator\n\temail = operator@example.com\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "coppice-contract-")))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const write = (folder: string, changes: FileChanges): void => {
  for (const [name, text] of Object.entries(changes)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    if (text === null) rmSync(path, { force: true })
    else writeFileSync(path, text)
  }
}

/** The files below a folder, without what Git keeps there. */
const read = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((path) => !/^\.git(\/|$)/.test(relative(folder, path)) && statSync(path).isFile())
      .map((path) => [relative(folder, path), readFileSync(path, "utf8")])
  )

/** The ports of this machine, and what a test may do behind them. */
export const localHostWithFixture: Layer.Layer<HostPorts> = Layer.effectContext(Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const [operator, code, outside] = ["operator", "code", "outside"].map((name) => join(folder, name)) as [string, string, string]
  for (const each of [operator, code, outside]) mkdirSync(each)
  writeFileSync(join(operator, ".gitconfig"), gitConfig)
  const environment = { PATH: process.env["PATH"], HOME: operator, LANG: "C.UTF-8", GIT_CONFIG_NOSYSTEM: "1" }
  const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
    execFileSync("git", [...args], { cwd, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd()

  const machineId = uuid() as MachineId
  const script = (id: string, program: string) => ({ id, name: id, command: [node, "-e", program], prompt: "stdin" as const })
  const gateway = yield* makeLocalHost({
    machineId,
    home: join(folder, "data"),
    repositoryRoots: [code],
    terminateGraceMillis: 300,
    environment,
    agents: [
      script("echo", "process.stdin.pipe(process.stdout)"),
      script("exits3", "process.exitCode = 3"),
      script("hangs", "console.log('at work'); setInterval(() => {}, 1000)"),
      { ...script("missing", ""), command: [join(folder, "no-such-program")] }
    ]
  })
  const host = yield* gateway.connect({ machineId, name: "here" }).pipe(Effect.orDie)

  let count = 0
  const inScratch = <A>(repositoryPath: string, branch: string, body: (scratch: string) => A): A => {
    const scratch = join(folder, `scratch-${++count}`)
    const isThere = git(repositoryPath, "branch", "--list", branch) !== ""
    git(repositoryPath, "worktree", "add", "--quiet", ...(isThere ? [scratch, branch] : ["-b", branch, scratch, "main"]))
    try {
      return body(scratch)
    } finally {
      git(repositoryPath, "worktree", "remove", "--force", scratch)
    }
  }
  const commitIn = (path: string): string => {
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "--allow-empty", "-m", "Change")
    return git(path, "rev-parse", "HEAD")
  }

  return Context.make(HostFixture, {
    makeRepository: (files, kind = "plain") =>
      Effect.sync(() => {
        const path = join(kind === "outside" ? outside : code, `repository-${++count}`)
        mkdirSync(path)
        git(path, "init", "--quiet", ...(kind === "bare" ? ["--bare"] : []))
        if (kind === "bare" || kind === "empty") return path
        write(path, files)
        commitIn(path)
        return path
      }),
    makeFolder: () =>
      Effect.sync(() => {
        const path = join(code, `folder-${++count}`)
        mkdirSync(path)
        return path
      }),
    commit: (repositoryPath, branch, changes) =>
      Effect.sync(() => inScratch(repositoryPath, branch, (scratch) => (write(scratch, changes), commitIn(scratch)))),
    resetBranch: (repositoryPath, branch, to) => Effect.sync(() => void git(repositoryPath, "branch", "--force", branch, to)),
    change: (path, changes) => Effect.sync(() => write(path, changes)),
    commitAll: (worktreePath) => Effect.sync(() => commitIn(worktreePath)),
    files: (worktreePath) => Effect.sync(() => existsSync(worktreePath) ? read(worktreePath) : undefined),
    branches: (repositoryPath) =>
      Effect.sync(() => git(repositoryPath, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n").toSorted()),
    filesOf: (repositoryPath, ref) =>
      Effect.sync(() =>
        Object.fromEntries(
          git(repositoryPath, "ls-tree", "-r", "--name-only", ref).split("\n").map((name) => [
            name,
            `${git(repositoryPath, "show", `${ref}:${name}`)}\n`
          ])
        )
      ),
    lose: (worktreePath) => Effect.sync(() => rmSync(worktreePath, { recursive: true })),
    addRemote: (repositoryPath, name) =>
      Effect.sync(() => {
        const remote = join(folder, `remote-${++count}`)
        git(folder, "init", "--quiet", "--bare", remote)
        git(repositoryPath, "remote", "add", name, remote)
      }),
    remoteCommit: (repositoryPath, remote, branch) =>
      Effect.sync(() => git(repositoryPath, "ls-remote", remote, `refs/heads/${branch}`).split("\t")[0] || undefined),
    commands: {
      print: (text) => [node, "-e", `console.log(${JSON.stringify(text)})`],
      write: (file, text) => [node, "-e", `fs.writeFileSync(${JSON.stringify(file)}, ${JSON.stringify(text)})`],
      exit: (code) => [node, "-e", `process.exit(${code})`],
      hang: [node, "-e", "setInterval(() => {}, 1000)"]
    },
    agents: { echo: "echo", exits3: "exits3", hangs: "hangs", missing: "missing" }
  }).pipe(
    Context.add(Repositories, host.repositories),
    Context.add(Worktrees, host.worktrees),
    Context.add(AgentLauncher, host.agentLauncher)
  )
}))
