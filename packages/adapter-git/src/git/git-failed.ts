import { Data } from "effect"

/** Git answered with an error, or was ended before it answered. */
export class GitFailed extends Data.TaggedError("GitFailed")<{
  readonly command: string
  readonly exitCode: number
  readonly stderr: string
}> {
  override get message(): string {
    return this.reason
  }

  /** What Git said, without its progress and hints, short enough to show. */
  get reason(): string {
    const lines = this.stderr.split(/[\r\n]+/).map((line) => line.trim()).filter((line) => line !== "")
    const told = lines.filter((line) => /^(?:fatal|error|remote|ERROR|! )/.test(line) || line.includes("[rejected]"))
    const text = (told.length > 0 ? told : lines).slice(-8).join(" ").replace(/[^\P{Cc}]/gu, " ")
    return text === "" ? `git ${this.command} ended with ${this.exitCode}` : text.slice(0, 1000)
  }
}

/** Somebody else is writing: Git's own locks are never deleted, only waited for. */
export const isLockContention = (failure: GitFailed): boolean =>
  /\.lock': File exists|could not lock config file .*: File exists/.test(failure.stderr)
