import type { Command, Option } from "./command.ts"
import { optionsOf } from "./parse.ts"

const usage = ({ name, options = {}, positionals = [] }: Command): string => {
  const required = Object.entries(options).filter(([, option]) => option.required)
  return [
    `coppice ${name}`,
    ...positionals.map((positional) => positional.name),
    ...required.map(([option, { value }]) => `--${option} ${value}`),
    ...(Object.keys(options).length > required.length ? ["[options]"] : [])
  ].join(" ")
}

const rows = (entries: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join("\n")
}

const optionRow = ([name, { about, multiple, value }]: readonly [string, Option]) =>
  [`--${name}${value === undefined ? "" : ` ${value}`}`, `${about}${multiple ? " (may be given again)" : ""}`] as const

/** What a command does and takes. */
export const commandHelp = (command: Command): string =>
  [
    `${command.summary}\n\n  ${usage(command)}\n`,
    rows([
      ...(command.positionals ?? []).map(({ about, name }) => [name, about] as const),
      ...Object.entries(optionsOf(command)).map(optionRow)
    ])
  ].join("\n")

/** What commands there are. */
export const overview = (commands: ReadonlyArray<Command>): string =>
  `Usage: npm run coppice -- <command> [options]     (or: coppice <command> [options])\n\n${
    rows(commands.map(({ name, positionals = [], summary }) =>
      [[name, ...positionals.map((positional) => positional.name)].join(" "), summary] as const))
  }\n\nEvery command takes --help and --json, and most take --user EMAIL. COPPICE_HOME says where the data is (./.coppice).\nExit codes: 0 done, 1 failed, 2 no such command line.`
