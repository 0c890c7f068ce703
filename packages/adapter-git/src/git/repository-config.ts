import { Effect } from "effect"
import type { Git } from "./git.ts"
import { fields } from "./git.ts"
import type { GitFailed } from "./git-failed.ts"

export interface ConfigEntry {
  /** Who wrote it: the operator, or the repository. */
  readonly operator: boolean
  readonly key: string
  readonly value: string
}

/** All configuration that applies in a repository, its includes followed, with who wrote it. Reading it runs nothing. */
export const configOf = (
  git: Git,
  cwd: string,
  environment: Readonly<Record<string, string>>
): Effect.Effect<ReadonlyArray<ConfigEntry>, GitFailed> =>
  Effect.map(
    git.run({ cwd, environment, args: ["config", "--list", "--show-scope", "--includes", "-z"], maxBytes: 4 * 1024 * 1024 }),
    ({ text }) => {
      const parts = fields(text)
      const entries: Array<ConfigEntry> = []
      for (let index = 0; index + 1 < parts.length; index += 2) {
        const [key, ...value] = parts[index + 1]!.split("\n")
        if (parts[index] !== "command") {
          entries.push({
            operator: parts[index] === "global" || parts[index] === "system",
            key: key!,
            // A key without a value means true.
            value: value.length === 0 ? "true" : value.join("\n")
          })
        }
      }
      return entries
    }
  )

/** What a repository may say about its files without naming a program. */
const harmless = new RegExp(
  `^(?:${[
    "core\\.(?:autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs|excludesfile)",
    "extensions\\.(?:objectformat|partialclone)",
    "remote\\..*\\.(?:url|pushurl|fetch|promisor|partialclonefilter|lfsurl)",
    "lfs\\.url"
  ].join("|")})$`,
  "s"
)

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`

/** The harmless part of a repository's configuration, as a file of its own. */
export const harmlessConfig = (entries: ReadonlyArray<ConfigEntry>, commonDir: string): string => {
  const kept = entries.filter(({ operator, key }) => !operator && harmless.test(key))
  const version = kept.some(({ key }) => key.startsWith("extensions.")) ? 1 : 0
  const lines = [`[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n[lfs]\n\tstorage = ${quoted(`${commonDir}/lfs`)}`]
  for (const { key, value } of kept) {
    const section = key.slice(0, key.indexOf("."))
    const name = key.slice(key.lastIndexOf(".") + 1)
    const subsection = key.slice(section.length + 1, -name.length - 1)
    // A line's end cannot be written there; a remote of such a name is left out.
    if (subsection.includes("\n") || value.includes("\0")) continue
    lines.push(`[${section}${subsection === "" ? "" : ` ${quoted(subsection)}`}]\n\t${name} = ${quoted(value)}`)
  }
  return `${lines.join("\n")}\n`
}
