import { request as httpRequest, type IncomingMessage } from "node:http"
import { createInterface } from "node:readline"
import type { RunEventRecord } from "./answers.ts"
import { Failed, given, type Json, type Session } from "./command.ts"

const post = (socketPath: string, path: string, body: Json): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, path, method: "POST", agent: false }, resolve)
    request.once("error", reject)
    request.end(JSON.stringify(body))
  })

const read = async (response: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const gone = () =>
  new Failed({
    code: "UNAVAILABLE",
    message: "The server went away before it had answered.",
    hint: "Look whether what you asked for was done, then try again."
  })

/** Commands for the server that listens on this socket. */
export const socketSession = (socketPath: string, user: string | undefined): Session => ({
  call: async (operation, args) => {
    const { error, result } = await post(socketPath, "/call", given({ operation, arguments: args, user }))
      .then(read)
      .then(JSON.parse, () => Promise.reject(gone()))
    if (error !== undefined) throw new Failed(error)
    return result
  },
  follow: async function*(runId, afterSequence) {
    const response = await post(socketPath, "/follow", given({ runId, afterSequence, user }))
    let last: { event?: RunEventRecord; ended?: true; error?: ConstructorParameters<typeof Failed>[0] } = {}
    for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
      last = JSON.parse(line)
      if (last.error !== undefined) throw new Failed(last.error)
      if (last.event !== undefined) yield last.event
    }
    if (!last.ended) throw gone()
  }
})

/** Whether a server answers there: a socket's file outlives a server that was killed. */
export const answers = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = httpRequest({ socketPath, path: "/", method: "GET", agent: false }, (response) => {
      response.resume()
      resolve(true)
    })
    request.once("error", () => resolve(false))
    request.end()
  })
