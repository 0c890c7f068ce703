/** Ctrl-C in a terminal reaches the service twice, from the terminal and from npm, a few milliseconds apart. */
const sameStopMillis = 1000

/** The longest that a graceful stop may take. */
const hardStopMillis = 10_000

/** Runs `stop` on the first signal. A second one, unless it is the same Ctrl-C, ends the process at once. */
export const stopOnSignal = (stop: () => void): void => {
  let stoppingSince: number | undefined
  const onSignal = () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > sameStopMillis) process.exit(130)
      return
    }
    stoppingSince = performance.now()
    setTimeout(() => {
      process.stderr.write("coppice: stopping took too long; agents that are left are ended at the next start.\n")
      process.exit(1)
    }, hardStopMillis).unref()
    stop()
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal)
}
