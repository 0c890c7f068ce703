import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Reads its prompt, writes a file from the JSON that the webhook brought, and says what it did. */
const scriptedAgent = `import { writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"

const prompt = await text(process.stdin)
const body = JSON.parse(/^(-----[0-9a-f]{32}-----)\\n([^]*)\\n\\1$/m.exec(prompt)[2])
writeFileSync(body.file, body.content)
console.log("wrote", body.file, "as the webhook asked")
`

export interface Scratch {
  readonly folder: string
  readonly home: string
  readonly repository: string
  /** A git command in the repository. */
  readonly git: (...args: ReadonlyArray<string>) => string
  readonly writeConfig: (config: object) => void
  readonly remove: () => void
}

/** A data folder, a small repository with one commit, and a scripted agent, in a folder that goes away. */
export const makeScratch = (): Scratch => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-demo-")))
  const home = join(folder, "home")
  const repository = join(folder, "greeter")
  mkdirSync(home, { mode: 0o700 })
  mkdirSync(repository)
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", repository, "-c", "user.name=Demo", "-c", "user.email=demo@example.com", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    })
  git("init", "--quiet", "--initial-branch=main")
  writeFileSync(join(repository, "README.md"), "# greeter\n")
  git("add", "README.md")
  git("commit", "--quiet", "--message", "Begin")
  const agent = join(folder, "agent.mjs")
  writeFileSync(agent, scriptedAgent)
  const writeConfig = (config: object) => writeFileSync(join(home, "config.json"), JSON.stringify(config, null, 2))
  writeConfig({
    repositoryRoots: [folder],
    agents: [{ id: "scribe", name: "Scribe", command: [process.execPath, agent], prompt: "stdin" }]
  })
  return { folder, home, repository, git, writeConfig, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** What a service in that folder is started with: nothing of the operator's own configuration. */
export const scratchEnvironment = ({ home }: Scratch): NodeJS.ProcessEnv => {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:COPPICE_|DATABASE_URL$|HOST$|NODE_OPTIONS$)/.test(name))
  return { ...Object.fromEntries(own), COPPICE_HOME: home, PORT: "0" }
}
