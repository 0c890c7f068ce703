import { Schema } from "effect"
import { HostId, OrganizationId, ProjectId } from "../id.ts"
import { Name } from "../text.ts"
import { recordTimes } from "../timestamp.ts"

/** One command, as its program and arguments. There is no shell: nothing in it is expanded. */
export const CommandLine = Schema.Array(
  Schema.String.check(
    Schema.isMaxLength(10_000),
    Schema.makeFilter((text: string) => !text.includes("\u0000") || "Expected no U+0000")
  )
).check(Schema.isMinLength(1), Schema.isMaxLength(100))

/** What is done in each new worktree before an agent may start in it. */
export const Setup = Schema.Struct({
  commands: Schema.Array(CommandLine).check(Schema.isMaxLength(20)).annotate({
    description: "Commands to run in order, each as [program, argument, …], without a shell"
  }),
  timeoutSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 })).annotate({
      description: "How long all of them may take together; 600 when left out"
    })
  )
})
export type Setup = typeof Setup.Type

/** A branch name that Git accepts; the host checks it against Git's own rules too. */
export const BranchName = Schema.String.check(
  Schema.makeFilter((name: string) => !["HEAD", "@"].includes(name) && !name.startsWith("refs/") || "Expected a branch name"),
  Schema.isPattern(/^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)))[^\u0000-\u0020\u007f~^:?*[\\]*[^\u0000-\u0020\u007f~^:?*[\\/.]$/, {
    expected: "a branch name"
  }),
  Schema.isMinLength(1),
  Schema.isMaxLength(200)
)

export const Trusted = Schema.Boolean.annotate({
  description: "Whether the repository's own Git configuration may name programs to run (hooks, filters)"
})

/** A Git repository on a host. */
export const Project = Schema.Struct({
  id: ProjectId,
  organizationId: OrganizationId,
  name: Name,
  hostId: HostId,
  repositoryPath: Schema.String.annotate({ description: "Absolute path of the repository on its host" }),
  repositoryUrl: Schema.optionalKey(Schema.String),
  baseBranch: BranchName,
  setup: Schema.optionalKey(Setup),
  trusted: Trusted,
  ...recordTimes
})
export type Project = typeof Project.Type

/** What of a project may change. `null` takes `setup` away. */
export interface ProjectPatch {
  readonly name?: string
  readonly baseBranch?: string
  readonly setup?: Setup | null
  readonly trusted?: boolean
}
