import { homeOf } from "../home/home-path.ts"
import { commandCatalog } from "./command-catalog.ts"
import { type Command, type Context, Failed, UsageError } from "./command.ts"
import { lazySession } from "./connect.ts"
import { commandHelp, overview } from "./help.ts"
import { parseInput } from "./parse.ts"
import { harmless } from "./text.ts"

const out = (text: string) => void process.stdout.write(text)
const err = (text: string) => void process.stderr.write(harmless(text))

const printJson = (document: object) => out(`${JSON.stringify(document, null, 2)}\n`)

const helpWords = new Set(["help", "--help", "-h"])

/** The command whose name the arguments begin with, and what follows it. */
const findCommand = (args: ReadonlyArray<string>): [Command, ReadonlyArray<string>] => {
  for (const words of [2, 1]) {
    const found = commandCatalog.find(({ name }) => name === args.slice(0, words).join(" "))
    if (found !== undefined) return [found, args.slice(words)]
  }
  const siblings = commandCatalog.filter(({ name }) => name.startsWith(`${args[0]} `)).map(({ name }) => name)
  throw new UsageError(
    siblings.length > 0
      ? `${args.slice(0, 2).join(" ")}: there is ${siblings.join(", ")}.`
      : `There is no command "${args.slice(0, 2).join(" ")}"; npm run coppice -- help shows them.`
  )
}

/** Words for what a tool says to programs. */
const hintFor = (failure: Failed, command: Command): string | undefined =>
  failure.code === "INVALID_REQUEST" && failure.hint === "See the tool's input schema."
    ? `npm run coppice -- ${command.name} --help shows what it takes.`
    : failure.hint

const report = (error: unknown, command: Command, json: boolean): number => {
  const failure = error instanceof Failed
    ? error
    : new Failed({ code: "INTERNAL", message: `Something unexpected went wrong: ${error instanceof Error ? error.stack : String(error)}` })
  const hint = hintFor(failure, command)
  err(`coppice: ${failure.message}\n${hint === undefined ? "" : `  ${hint}\n`}`)
  if (json) printJson({ error: { code: failure.code, message: failure.message, ...(hint && { hint }) } })
  return 1
}

const execute = async (command: Command, args: ReadonlyArray<string>): Promise<number> => {
  const input = parseInput(command, args)
  if (input.has("help")) {
    out(`${commandHelp(command)}\n`)
    return 0
  }
  const json = input.has("json")
  const home = homeOf(process.env)
  const user = command.asNobody ? undefined : input.text("user")
  const { close, open, session } = lazySession(home, user)
  const context: Context = {
    input,
    session,
    home,
    print: (text) => json ? undefined : out(text),
    isServerRunning: async () => (await open()).server
  }
  try {
    const result = await command.run(context)
    if (json) printJson(result.json)
    else if (result.text !== undefined) out(`${result.text}\n`)
    return result.failed ? 1 : 0
  } catch (error) {
    if (error instanceof UsageError) throw error
    return report(error, command, json)
  } finally {
    await close()
  }
}

/** Does what the command line says, and answers the exit code: 0 done, 1 failed, 2 no such command line. */
export const runCommand = async (args: ReadonlyArray<string>): Promise<number> => {
  if (helpWords.has(args[0] ?? "")) {
    out(`${overview(commandCatalog)}\n`)
    return 0
  }
  if (args.length === 0) {
    err(`${overview(commandCatalog)}\n`)
    return 2
  }
  try {
    const [command, rest] = findCommand(args)
    return await execute(command, rest)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    err(`coppice: ${error.message}\n`)
    if (args.includes("--json")) printJson({ error: { code: "INVALID_REQUEST", message: error.message } })
    return 2
  }
}
