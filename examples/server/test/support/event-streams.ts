import { Agent, request } from "node:http"
import { postMessage } from "./mcp-request.ts"

export interface OpenStream {
  readonly key: string
  readonly session: string
  /** All that came until now. */
  readonly heard: () => string
  /** Whether it ended as it should, once it has ended. */
  readonly ended: Promise<boolean>
}

const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }

const begin = async (url: string, key: string): Promise<string> => {
  const response = await postMessage(url, key, { method: "initialize", params: initialize })
  await response.text()
  const session = response.headers.get("mcp-session-id")
  if (session === null) throw new Error(`initialize was answered ${response.status}`)
  return session
}

const listen = (url: string, agent: Agent, key: string, session: string) =>
  new Promise<OpenStream>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream", "mcp-session-id": session }
    request(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`A stream was answered ${response.statusCode}`))
      let heard = ""
      const ended = new Promise<boolean>((end) => {
        response.once("error", () => end(false)).once("close", () => end(response.complete))
      })
      const stream = { key, session, heard: () => heard, ended }
      response.setEncoding("utf8").on("data", (text: string) => {
        if (heard === "") resolve(stream)
        heard += text
      })
    }).once("error", reject).end()
  })

/** A session with its stream, for each key as often as it is named; so many are opened at a time. */
export const openStreams = async (url: string, keys: ReadonlyArray<string>, atATime: number) => {
  const agent = new Agent({ maxSockets: Infinity })
  const streams: Array<OpenStream> = []
  let next = 0
  await Promise.all(Array.from({ length: atATime }, async () => {
    while (next < keys.length) {
      const key = keys[next++]!
      streams.push(await listen(url, agent, key, await begin(url, key)))
    }
  }))
  return { streams, close: () => agent.destroy() }
}
