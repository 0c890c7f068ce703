import type { CommandLine } from "@coppice/core"
import type { AgentLauncher, Repositories, Worktrees } from "@coppice/core/ports"
import { Context, type Effect } from "effect"
import { contract, type Contract, type ContractTest } from "./contract.ts"

/** File names and their text. */
export type Files = Readonly<Record<string, string>>

/** Changes to files; `null` deletes one. */
export type FileChanges = Readonly<Record<string, string | null>>

/** What a test does to a host behind its back, and looks at there: an adapter's tests provide it beside the ports. */
export class HostFixture extends Context.Service<HostFixture, {
  /**
   * A new repository, where the host may look unless it is `outside`. Its one commit of these files is on `main`, which
   * is checked out there; `bare` has no working tree, `empty` no commit.
   */
  makeRepository(files: Files, kind?: "plain" | "outside" | "bare" | "empty"): Effect.Effect<string>
  /** A folder that is no repository, where the host may look. */
  makeFolder(): Effect.Effect<string>
  /** Commits changes to a branch of a repository, made at `main` when it is new, and answers the commit. */
  commit(repositoryPath: string, branch: string, changes: FileChanges): Effect.Effect<string>
  /** Puts a branch, which is checked out nowhere, where another one is. */
  resetBranch(repositoryPath: string, branch: string, to: string): Effect.Effect<void>
  /** Changes files of a working tree: a worktree's, or the repository's own. */
  change(path: string, changes: FileChanges): Effect.Effect<void>
  /** Commits all that is not ignored in a worktree, and answers the commit. */
  commitAll(worktreePath: string): Effect.Effect<string>
  /** The files of a worktree, ignored ones too; `undefined` when the folder is not there. */
  files(worktreePath: string): Effect.Effect<Files | undefined>
  branches(repositoryPath: string): Effect.Effect<ReadonlyArray<string>>
  /** The files of the commit that a ref names. */
  filesOf(repositoryPath: string, ref: string): Effect.Effect<Files>
  /** Removes a worktree's folder, as somebody might by hand. */
  lose(worktreePath: string): Effect.Effect<void>
  /** Gives a repository an empty remote, of whatever kind a trusted project may name, that accepts what is pushed. */
  addRemote(repositoryPath: string, name: string): Effect.Effect<void>
  /** The commit of a remote's branch. */
  remoteCommit(repositoryPath: string, remote: string, branch: string): Effect.Effect<string | undefined>
  /** Set-up commands that the host can run. */
  readonly commands: {
    readonly print: (text: string) => typeof CommandLine.Type
    readonly write: (file: string, text: string) => typeof CommandLine.Type
    readonly exit: (code: number) => typeof CommandLine.Type
    readonly hang: typeof CommandLine.Type
  }
  /** Agents that the host has. */
  readonly agents: {
    /** Prints its prompt. */
    readonly echo: string
    /** Exits with code 3. */
    readonly exits3: string
    /** Prints `at work`, and never ends. */
    readonly hangs: string
    /** Is configured, and its program is not there. */
    readonly missing: string
  }
}>()("@coppice/testkit/contract/HostFixture") {}

/** The ports of one host, and the way behind them. */
export type HostPorts = AgentLauncher | HostFixture | Repositories | Worktrees

/** What a contract needs to know of the host that it judges. */
export interface HostCapabilities {
  /** `test` when the host goes by Effect's clock, `real` when time passes there by itself. */
  readonly clock: "test" | "real"
}

export type HostContract = Contract<HostPorts, HostCapabilities>
export type HostTest = ContractTest<HostPorts>

export const hostContract = (
  port: string,
  tests: (capabilities: HostCapabilities) => ReadonlyArray<HostTest>
): HostContract => contract<HostPorts, HostCapabilities>(port, { clock: "test" }, tests, ({ clock }) => clock === "test")
