// A fake host with the way behind it that the contracts of host ports ask for.
import { MachineId, newId } from "@coppice/core"
import { HostFixture, type HostPorts } from "@coppice/testkit/contract"
import { exits, echoes, FakeHost, fakeHostLayer, hangs } from "@coppice/testkit/fake"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"

const makeFixture = Effect.gen(function*() {
  const host = yield* FakeHost
  let repositories = 0
  host.script("echo", echoes)
  host.script("exits3", exits(3, "no\n"))
  host.script("hangs", hangs)
  host.script("missing", hangs, { unavailableReason: "Its program is not there." })
  return HostFixture.of({
    makeRepository: (files, kind = "plain") =>
      Effect.sync(() => {
        const path = `${kind === "outside" ? "/outside" : "/code"}/repository-${++repositories}`
        host.addRepository(path, kind === "empty" ? {} : files, { bare: kind === "bare" })
        return path
      }),
    makeFolder: () => Effect.sync(() => `/code/folder-${++repositories}`),
    commit: (repositoryPath, branch, changes) => Effect.sync(() => host.commit(repositoryPath, branch, changes)),
    resetBranch: (repositoryPath, branch, to) =>
      Effect.sync(() => {
        const { branches } = host.repository(repositoryPath)
        branches.set(branch, branches.get(to)!)
      }),
    change: (path, changes) =>
      Effect.sync(() => {
        if (host.worktrees().some((worktree) => worktree.path === path)) return host.changeWorktree(path, changes)
        for (const [file, text] of Object.entries(changes)) {
          if (text !== null) host.repository(path).ignoredFiles.set(file, text)
        }
      }),
    commitAll: (worktreePath) => Effect.sync(() => host.commitWorktree(worktreePath)),
    files: (worktreePath) =>
      Effect.sync(() => {
        const worktree = host.worktrees().find(({ path }) => path === worktreePath)
        return worktree && Object.fromEntries(worktree.files)
      }),
    branches: (repositoryPath) => Effect.sync(() => [...host.repository(repositoryPath).branches.keys()].toSorted()),
    filesOf: (repositoryPath, ref) =>
      Effect.sync(() => {
        const repository = host.repository(repositoryPath)
        const commit = repository.refs.get(ref) ?? repository.branches.get(ref)
        return Object.fromEntries(repository.commits.get(commit!)!.files)
      }),
    lose: (worktreePath) => Effect.sync(() => host.loseWorktree(worktreePath)),
    addRemote: (repositoryPath, name) => Effect.sync(() => host.addRemote(repositoryPath, name)),
    remoteCommit: (repositoryPath, remote, branch) =>
      Effect.sync(() => host.repository(repositoryPath).remotes.get(remote)?.branches.get(branch)),
    commands: {
      print: (text) => ["print", text],
      write: (file, text) => ["write", file, text],
      exit: (code) => ["exit", String(code)],
      hang: ["hang"]
    },
    agents: { echo: "echo", exits3: "exits3", hangs: "hangs", missing: "missing" }
  })
})

export const fakeHostWithFixture: Layer.Layer<HostPorts | FakeHost> = Layer.effect(HostFixture, makeFixture).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(newId(MachineId), (machineId) => fakeHostLayer({ machineId })))),
  Layer.provide(layerWebCrypto)
)
