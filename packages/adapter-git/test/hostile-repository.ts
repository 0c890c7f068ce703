import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Sandbox } from "./sandbox.ts"
import { fixture } from "./sandbox.ts"

const hooks = [
  "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
  "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
  "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "post-index-change",
  "sendemail-validate", "fsmonitor-watchman"
]

/** Everything by which a repository's own configuration can name a program. Each leaves its name in one file. */
export const poison = ({ folder }: Sandbox, repository: string) => {
  const canary = join(folder, "canary")
  const run = (name: string) => `${fixture("canary.sh")} ${canary} ${name}`
  const gitFolder = join(repository, ".git")
  const config = (suffix: string) => `
[core]
	fsmonitor = ${run("fsmonitor")}
	sshCommand = ${run("ssh")}
	askPass = ${fixture("canary.sh")}
	pager = ${run("pager")}
	editor = ${run("editor")}
	gitProxy = ${run("proxy")}
	alternateRefsCommand = ${run("alternates")}
	untrackedCache = true
[alias]
	status = !${run("alias")}
	worktree = !${run("alias")}
[filter "evil${suffix}"]
	clean = ${run("filter-clean")}
	smudge = ${run("filter-smudge")}
	required = true
[filter "process${suffix}"]
	process = ${run("process")}
[diff]
	external = ${run("diff-external")}
[diff "evil${suffix}"]
	command = ${run("diff-command")}
	textconv = ${run("textconv")}
[merge "evil${suffix}"]
	driver = ${run("merge-driver")}
[credential]
	helper = "!${run("credential")}"
[credential "https://127.0.0.1:1"]
	helper = "!${run("credential-url")}"
[gpg]
	program = ${run("gpg")}
[commit]
	gpgSign = true
[log]
	showSignature = true
[uploadpack]
	packObjectsHook = ${run("pack-objects")}
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[sequence]
	editor = ${run("sequence-editor")}
[submodule "sub"]
	update = !${run("submodule-update")}
`
  writeFileSync(join(gitFolder, "config"), `${readFileSync(join(gitFolder, "config"), "utf8")}${config("")}
[include]
	path = more-config
`)
  writeFileSync(join(gitFolder, "more-config"), config("-included"))
  mkdirSync(join(gitFolder, "hooks"), { recursive: true })
  for (const hook of hooks) {
    writeFileSync(join(gitFolder, "hooks", hook), `#!/bin/sh\nexec ${run(`hook-${hook}`)}\n`)
    chmodSync(join(gitFolder, "hooks", hook), 0o755)
  }
  return {
    /** What ran. */
    ran: (): ReadonlyArray<string> => existsSync(canary) ? readFileSync(canary, "utf8").trim().split("\n") : [],
    /** Attributes that no commit holds, for every file. */
    attribute: (text: string) => {
      mkdirSync(join(gitFolder, "info"), { recursive: true })
      writeFileSync(join(gitFolder, "info/attributes"), text)
    },
    remote: (url: string) =>
      writeFileSync(
        join(gitFolder, "config"),
        `${readFileSync(join(gitFolder, "config"), "utf8")}
[remote "origin"]
	url = ${url}
	uploadpack = ${run("uploadpack")}
	receivepack = ${run("receivepack")}
`
      )
  }
}
