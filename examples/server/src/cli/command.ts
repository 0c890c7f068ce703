import type { Answers, RunEventRecord } from "./answers.ts"

/** An option as it is typed: `--name value`, or `--name` alone. */
export interface Option {
  readonly about: string
  /** What stands for the value in the help; without it the option is a switch. */
  readonly value?: string
  readonly required?: true
  readonly multiple?: true
}

export interface Positional {
  readonly name: string
  readonly about: string
}

/** What the operator typed after a command, taken apart. */
export interface Input {
  readonly positionals: ReadonlyArray<string>
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  readonly number: (name: string) => number | undefined
  readonly has: (name: string) => boolean
}

export type Json = { readonly [key: string]: unknown }

/** The way to the service: over the socket of the server that runs, or by this process itself while none does. */
export interface Session {
  readonly call: <Name extends keyof Answers>(operation: Name, args: Json) => Promise<Answers[Name]>
  /** A run's events as they come, until it has ended. */
  readonly follow: (runId: string, afterSequence: number) => AsyncIterable<RunEventRecord>
}

export interface Context {
  readonly input: Input
  /** Opened by the first call. */
  readonly session: Session
  /** Text for people, at once; nothing where JSON is wanted. */
  readonly print: (text: string) => void
  readonly home: string
  /** Connects, and answers whether it is to a server. */
  readonly isServerRunning: () => Promise<boolean>
}

export interface Result {
  /** The one document that `--json` prints. */
  readonly json: object
  /** What people read. */
  readonly text?: string
  readonly failed?: boolean
}

export interface Command {
  /** As it is typed: `keys create`. */
  readonly name: string
  readonly summary: string
  readonly positionals?: ReadonlyArray<Positional>
  readonly options?: Readonly<Record<string, Option>>
  /** It is not done as a user, and takes no `--user`. */
  readonly asNobody?: true
  readonly run: (context: Context) => Promise<Result>
}

/** The command line is not one that there is: exit code 2. */
export class UsageError extends Error {}

/** What was asked could not be done: exit code 1. */
export class Failed extends Error {
  readonly code: string
  readonly hint: string | undefined
  constructor(failure: { readonly code: string; readonly message: string; readonly hint?: string | undefined }) {
    super(failure.message)
    this.code = failure.code
    this.hint = failure.hint
  }
}

/** Only the options that were given, so that what is left out stays left out. */
export const given = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
