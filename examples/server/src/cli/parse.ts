import { parseArgs } from "node:util"
import { type Command, type Input, type Option, UsageError } from "./command.ts"

const user: Option = { value: "EMAIL", about: "Act as this user; the first organization's owner when left out" }

/** All that a command takes: its own options, and those of every command. */
export const optionsOf = (command: Command): Readonly<Record<string, Option>> => ({
  ...command.options,
  ...(command.asNobody ? {} : { user }),
  json: { about: "Print exactly one JSON document" },
  help: { about: "Show what the command does and takes" }
})

const numeral = /^-?\d+$/

/** Takes apart what was typed after a command's name, and refuses what the command does not take. */
export const parseInput = (command: Command, args: ReadonlyArray<string>): Input => {
  const options = optionsOf(command)
  const config = Object.fromEntries(Object.entries(options).map(([name, { multiple, value }]) => [name, {
    type: value === undefined ? "boolean" as const : "string" as const,
    multiple: multiple ?? false,
    ...(name === "help" ? { short: "h" } : {})
  }]))
  const { positionals, values } = parse(args, config)
  if (values["help"] !== true) {
    const expected = command.positionals ?? []
    const missing = expected[positionals.length]
    if (missing !== undefined) throw new UsageError(`${missing.name} is missing: ${missing.about}.`)
    if (positionals.length > expected.length) {
      throw new UsageError(`"${positionals[expected.length]}" is one argument too many; quote what holds spaces.`)
    }
    for (const [name, { about, required }] of Object.entries(options)) {
      if (required && values[name] === undefined) throw new UsageError(`--${name} is missing: ${about}.`)
    }
  }
  const text = (name: string) => values[name] as string | undefined
  return {
    positionals,
    text,
    texts: (name) => (values[name] ?? []) as ReadonlyArray<string>,
    has: (name) => values[name] === true,
    number: (name) => {
      const value = text(name)
      if (value === undefined) return undefined
      if (!numeral.test(value)) throw new UsageError(`--${name} takes a whole number, and "${value}" is none.`)
      return Number(value)
    }
  }
}

const parse = (args: ReadonlyArray<string>, options: NonNullable<Parameters<typeof parseArgs>[0]>["options"]) => {
  try {
    return parseArgs({ args: [...args], options: options!, allowPositionals: true })
  } catch (error) {
    // The advice that Node adds about positionals is for programmers.
    throw new UsageError((error as Error).message.replace(/\. To specify a positional.*$/s, "."))
  }
}
