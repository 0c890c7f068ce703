import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** Which statement of those that follow goes wrong, and when: it has not reached the server, or its answer is on the way. */
export interface Fault {
  readonly statement: number
  readonly when: "before" | "after"
}

const readyForQuery = "Z".charCodeAt(0)

/** What a client sends in one go: a statement ends with a query, or with what asks for its outcome. */
const ends = new Set(["Q", "S", "H", "p", "X"].map((letter) => letter.charCodeAt(0)))
const isStatement = (type: number): boolean => type === "Q".charCodeAt(0) || type === "S".charCodeAt(0)

/** Splits off the whole messages at the start of some bytes (PostgreSQL, "Message Formats"); the first of a client has no type. */
const split = (bytes: Buffer, untyped: boolean) => {
  const messages: Array<{ readonly type: number; readonly bytes: Buffer }> = []
  let at = 0
  let first = untyped
  while (true) {
    const head = first ? 0 : 1
    if (bytes.length < at + head + 4) break
    const length = head + bytes.readInt32BE(at + head)
    if (bytes.length < at + length) break
    messages.push({ type: first ? 0 : bytes[at]!, bytes: bytes.subarray(at, at + length) })
    at += length
    first = false
  }
  return { messages, rest: bytes.subarray(at) }
}

/** A way to a PostgreSQL server that can be lost, at a statement that a test names. */
export const postgresProxy = async (databaseUrl: string) => {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const held: Array<() => void> = []
  let [away, stalled, statements] = [false, false, 0]
  let fault: Fault | undefined

  const goAway = () => {
    away = true
    fault = undefined
    for (const socket of sockets) socket.destroy()
  }

  const serve = (client: Socket) => {
    if (away) return void client.destroy()
    const server = connect(Number(target.port), target.hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        client.destroy()
        server.destroy()
      })
    }
    let started = false
    let [fromClient, fromServer, whole] = [Buffer.alloc(0), Buffer.alloc(0), Buffer.alloc(0)]
    /** Its answer is to be lost. */
    let doomed = false
    client.on("data", (chunk: Buffer) => {
      const { messages, rest } = split(Buffer.concat([fromClient, chunk]), !started)
      fromClient = Buffer.from(rest)
      for (const { bytes, type } of messages) {
        whole = Buffer.concat([whole, bytes])
        if (started && !ends.has(type)) continue
        started = true
        const sent = whole
        whole = Buffer.alloc(0)
        if (isStatement(type) && ++statements === fault?.statement) {
          if (fault.when === "before") return goAway()
          doomed = true
        }
        if (stalled) held.push(() => server.write(sent))
        else server.write(sent)
      }
    })
    server.on("data", (chunk: Buffer) => {
      if (!doomed) return void client.write(chunk)
      const { messages, rest } = split(Buffer.concat([fromServer, chunk]), false)
      fromServer = Buffer.from(rest)
      if (messages.some(({ type }) => type === readyForQuery)) goAway()
    })
  }

  const listener = createServer(serve).listen(0, "127.0.0.1")
  await once(listener, "listening")
  const url = new URL(databaseUrl)
  url.hostname = "127.0.0.1"
  url.port = String((listener.address() as AddressInfo).port)

  return {
    databaseUrl: url.href,
    /** How many statements were sent since this was asked last. */
    countStatements: () => {
      const count = statements
      statements = 0
      return count
    },
    /** The database is lost at that statement, counted from now, and stays so until it is back. */
    loseAt: (next: Fault) => {
      statements = 0
      fault = next
    },
    /** All connections are cut, and no new one is taken. */
    goAway,
    comeBack: () => {
      away = false
      fault = undefined
    },
    /** What is sent waits, until it is let go or the database goes away. */
    stall: () => void (stalled = true),
    letGo: () => {
      stalled = false
      for (const send of held.splice(0)) send()
    },
    isHolding: () => held.length > 0,
    close: () => {
      goAway()
      listener.close()
    }
  }
}
