import { Cause } from "effect"

interface Explained {
  readonly message: string
  readonly hint?: string | undefined
}

/** What the operator can act on: every failure that was foreseen has a sentence of its own. */
const explained = (cause: Cause.Cause<unknown>): Explained | undefined => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  return failure instanceof Error ? failure : undefined
}

/** Says on standard error why the service does not start. Only what nobody foresaw comes with a stack trace. */
export const reportFailure = (cause: Cause.Cause<unknown>): void => {
  const failure = explained(cause)
  process.stderr.write(
    failure === undefined
      ? `coppice: something unexpected went wrong:\n${Cause.pretty(cause)}\n`
      : `coppice: ${failure.message}\n${failure.hint === undefined ? "" : `  ${failure.hint}\n`}`
  )
}
