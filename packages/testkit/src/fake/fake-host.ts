import type { Agent, AgentSessionId, Failure, MachineId } from "@coppice/core"
import { HostOffline } from "@coppice/core"
import { AgentLauncher, HostGateway, Repositories, Worktrees } from "@coppice/core/ports"
import { Context, Effect, Layer } from "effect"
import type { AgentConfiguration, FakeProcess } from "./agent-launcher.ts"
import { isRunning, makeAgentLauncher } from "./agent-launcher.ts"
import { type AgentScript, exits } from "./agent-script.ts"
import type { CallName, FakeCall, Trouble } from "./calls.ts"
import type { Changes, FakeRepository } from "./git.ts"
import { commitTo, makeRepository } from "./git.ts"
import type { FakeWorktree } from "./machine.ts"
import { changeWorktree, commitWorktree, makeMachine } from "./machine.ts"
import { fakeRepositories } from "./repositories.ts"
import { fakePrograms, type SetupScript } from "./setup-command.ts"
import { fakeWorktrees } from "./worktrees.ts"

export interface FakeHostOptions {
  readonly machineId: MachineId
  readonly name?: string
  /** Where repositories may lie (`/code`). */
  readonly repositoryRoots?: ReadonlyArray<string>
  readonly freeBytes?: number
}

/** What a test scripts and inspects of a fake host. Everything takes effect at once. */
export class FakeHost extends Context.Service<FakeHost, {
  readonly machineId: MachineId
  readonly name: string

  /** Adds a repository with one commit of these files on its default branch; with no files, one without a commit. */
  addRepository(path: string, files?: Changes, options?: { readonly bare?: boolean; readonly defaultBranch?: string }): FakeRepository
  /** Commits changes to a branch of a repository, and answers the commit. */
  commit(repositoryPath: string, branch: string, changes: Changes): string
  repository(path: string): FakeRepository
  addRemote(repositoryPath: string, name: string): void
  /** What is found at a URL when it is cloned. */
  addRemoteRepository(url: string, files: Changes, options?: { readonly refuses?: string }): void
  readonly worktrees: () => ReadonlyArray<FakeWorktree>
  /** Changes files of a worktree. */
  changeWorktree(path: string, changes: Changes): void
  commitWorktree(path: string): string
  /** A worktree whose folder somebody removed behind the host's back. */
  loseWorktree(path: string): void

  /** Adds an agent, or scripts it anew. An agent that was never scripted exits at once with code 0. */
  script(agentId: string, script: AgentScript, options?: Partial<Omit<Agent, "id">>): void
  /** How the set-up commands go; the fake programs when it is not said. */
  scriptSetup(script: SetupScript): void
  /** The next creation of a worktree fails with this. */
  failCreation(failure: Failure): void
  setStopMillis(millis: number): void
  setFreeBytes(bytes: number): void

  /** Every call to it fails while it is offline, and who watches loses the link. */
  setOnline(online: boolean): void
  /** The next calls of that method meet with trouble. */
  interject(name: CallName, trouble: Trouble, times?: number): void
  /** Breaks the streams of those who watch at the moment. */
  loseLink(): void
  /** The host begins a new life: what runs goes on, and can only be settled. */
  restart(): void

  /** All calls so far, or those of one method, in their order. */
  calls(name?: CallName): ReadonlyArray<FakeCall>
  /** Every process that was ever started. */
  processes(): ReadonlyArray<FakeProcess>
  running(): ReadonlyArray<FakeProcess>
  process(sessionId: AgentSessionId): FakeProcess | undefined
}>()("@coppice/testkit/fake/FakeHost") {}

/** A host in memory. Each runtime that is built from the layer gets a machine of its own; its agents end with it. */
export const fakeHostLayer = (
  options: FakeHostOptions
): Layer.Layer<FakeHost | HostGateway | Repositories | Worktrees | AgentLauncher> =>
  Layer.effectContext(Effect.gen(function*() {
    const { machineId, name = "fake host" } = options
    const machine = makeMachine({
      machineId,
      name,
      repositoryRoots: options.repositoryRoots ?? ["/code"],
      freeBytes: options.freeBytes ?? 100 * 1024 ** 3
    })
    const { calls } = machine
    const creation = { setup: fakePrograms, failures: [] as Array<Failure> }
    const agents: AgentConfiguration = {
      agents: new Map(),
      stopMillis: 0,
      processes: new Map(),
      loseLink: () => {},
      restart: () => {}
    }
    const repositories = fakeRepositories(machine)
    const worktrees = fakeWorktrees(machine, creation)
    const agentLauncher = yield* makeAgentLauncher(machine, agents)

    const existing = (path: string): FakeRepository => {
      const repository = machine.repositories.get(path)
      if (repository === undefined) throw new Error(`The test has no repository ${path}`)
      return repository
    }
    const worktreeAt = (path: string): FakeWorktree => {
      const worktree = machine.worktrees.get(path)
      if (worktree === undefined) throw new Error(`There is no worktree ${path}`)
      return worktree
    }
    const processes = () => [...agents.processes.values()]
    const script: FakeHost["Service"]["script"] = (id, script, options = {}) => {
      agents.agents.set(id, { agent: { id, name: id, prompt: "stdin", ...options }, script })
    }
    script("reviewer", exits(0))

    return Context.make(FakeHost, {
      machineId,
      name,
      addRepository: (path, files = { "README.md": "Hello\n" }, options = {}) => {
        const repository = makeRepository(path, options)
        machine.repositories.set(path, repository)
        if (Object.keys(files).length > 0) commitTo(repository, repository.defaultBranch, files)
        return repository
      },
      commit: (path, branch, changes) => commitTo(existing(path), branch, changes),
      repository: existing,
      addRemote: (path, name) => void existing(path).remotes.set(name, { name, branches: new Map() }),
      addRemoteRepository: (url, files, options = {}) => {
        const repository = makeRepository(url)
        commitTo(repository, repository.defaultBranch, files)
        machine.remoteRepositories.set(url, { repository, ...options })
      },
      worktrees: () => [...machine.worktrees.values()],
      changeWorktree: (path, changes) => changeWorktree(worktreeAt(path), changes),
      commitWorktree: (path) => commitWorktree(existing(worktreeAt(path).repositoryPath), worktreeAt(path)),
      loseWorktree: (path) => void machine.worktrees.delete(path),
      script,
      scriptSetup: (setup) => {
        creation.setup = setup
      },
      failCreation: (failure) => void creation.failures.push(failure),
      setStopMillis: (millis) => {
        agents.stopMillis = millis
      },
      setFreeBytes: (bytes) => {
        machine.freeBytes = bytes
      },
      setOnline: (online) => {
        calls.state.online = online
        if (!online) agents.loseLink()
      },
      interject: calls.interject,
      loseLink: () => agents.loseLink(),
      restart: () => agents.restart(),
      calls: (name) => name === undefined ? calls.calls : calls.calls.filter((call) => call.name === name),
      processes,
      running: () => processes().filter(isRunning),
      process: (sessionId) => agents.processes.get(sessionId)
    }).pipe(
      Context.add(Repositories, repositories),
      Context.add(Worktrees, worktrees),
      Context.add(AgentLauncher, agentLauncher),
      Context.add(HostGateway, {
        connect: (host) =>
          calls.call(
            "HostGateway.connect",
            host,
            host.machineId === machineId
              ? Effect.succeed({ repositories, worktrees, agentLauncher })
              : Effect.fail(new HostOffline({ message: `There is no way to the host "${host.name}".` }))
          ).pipe(Effect.catchTag("LinkLost", ({ message }) => Effect.fail(new HostOffline({ message }))))
      })
    )
  }))
