import { connect } from "node:net"

/** Writes parts to a port one after the other, and gives all that came back once the other side closed, or `untilMillis` passed. */
export const talk = async (
  port: number,
  parts: ReadonlyArray<string | Uint8Array | number>,
  { until, untilMillis = 3000 }: { readonly until?: (answer: string) => boolean; readonly untilMillis?: number } = {}
): Promise<{ readonly answer: string; readonly closed: boolean }> => {
  const socket = connect(port, "127.0.0.1")
  let answer = ""
  let closed = false
  const done = new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1")
      if (until?.(answer) === true) resolve()
    })
    socket.on("error", () => {})
    socket.on("close", () => {
      closed = true
      resolve()
    })
    setTimeout(resolve, untilMillis).unref()
  })
  for (const part of parts) {
    if (typeof part === "number") await new Promise((resolve) => setTimeout(resolve, part))
    else if (!closed) socket.write(part)
  }
  await done
  socket.destroy()
  return { answer, closed }
}

export const statusesOf = (answer: string): ReadonlyArray<number> =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
