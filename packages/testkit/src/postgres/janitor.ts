import { spawn } from "node:child_process"
import { once } from "node:events"

// It reads the id of the server that runs now, or an empty line when none does. The end of its input is the end of
// whoever started it, for whatever reason.
const script = `
  pid=
  while read -r line; do pid=$line; done
  if [ -n "$pid" ]; then
    kill -QUIT "$pid"
    tries=0
    while kill -0 "$pid" && [ $tries -lt 50 ]; do tries=$((tries + 1)); sleep 0.1; done
  fi 2>/dev/null
  rm -rf "$1"
`

export interface Janitor {
  /** The server that has to end with this process. */
  readonly watch: (pid: number | undefined) => void
  /** Ends what is watched, removes the folder, and resolves when that is done. */
  readonly finish: () => Promise<void>
}

/**
 * A shell that waits on a pipe and cleans up when the pipe closes: at the end of a scope, or with a process that was
 * killed. It leads its own session, so that a Ctrl-C at the terminal reaches the tests and not it.
 */
export const startJanitor = (directory: string): Janitor => {
  const child = spawn("/bin/sh", ["-c", script, "janitor", directory], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  const ended = once(child, "exit")
  child.unref()
  return {
    watch: (pid) => { child.stdin.write(`${pid ?? ""}\n`) },
    finish: async () => {
      child.ref()
      child.stdin.end()
      await ended
    }
  }
}
