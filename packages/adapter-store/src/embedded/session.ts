import { randomInt } from "node:crypto"
import type { Duplex } from "node:stream"
import {
  closeStatements,
  concat,
  eachMessage,
  frontend,
  type Listening,
  parseListening,
  quoteIdentifier,
  simpleQuery,
  type TransactionStatus
} from "./protocol.ts"

/** One of several connections that share the only session that the database has. */
export interface Session {
  readonly pid: number
  /** What whoever asks to cancel must know. */
  readonly secret: number
  readonly connection: Duplex
  /** What this connection listens to. */
  readonly channels: Set<string>
  /** The prepared statements that this connection named, and what those that listen would do. */
  readonly statements: Map<string, Listening | undefined>
  status: TransactionStatus
  gone: boolean
}

export const makeSession = (pid: number, connection: Duplex): Session => ({
  pid,
  secret: randomInt(1, 0x7fff_ffff),
  connection,
  channels: new Set(),
  statements: new Map(),
  status: "idle",
  gone: false
})

/** A cycle, from a connection's first message to the `Sync` that asks for an answer, in line or running. */
export interface Entry {
  /** Undefined for what the hub itself asks. */
  readonly session: Session | undefined
  readonly cycle: Uint8Array
  readonly listening: ReadonlyArray<Listening>
  cancelled: boolean
}

export const internal = (cycle: Uint8Array): Entry => ({ session: undefined, cycle, listening: [], cancelled: false })

/** Notes the statements that a cycle names or closes, and tells what it would begin or cease to listen to. */
export const rememberCycle = (memory: Pick<Session, "statements">, cycle: Uint8Array): ReadonlyArray<Listening> => {
  const found: Array<Listening> = []
  let unnamed: Listening | undefined
  eachMessage(cycle, 0, cycle.length, (_type, start) => {
    const message = frontend(cycle, start)
    switch (message?.kind) {
      case undefined:
        return
      case "parse": {
        const listening = parseListening(message.sql)
        if (message.name === "") unnamed = listening
        else memory.statements.set(message.name, listening)
        return
      }
      case "bind": {
        const listening = message.name === "" ? unnamed : memory.statements.get(message.name)
        if (listening !== undefined) found.push(listening)
        return
      }
      case "close":
        memory.statements.delete(message.name)
        return
      case "query": {
        const listening = parseListening(message.sql)
        if (listening !== undefined) found.push(listening)
      }
    }
  })
  return found
}

/** Takes note of what a connection now listens to, and gives the cycles that put right what that did to the others. */
export const applyListening = (
  session: Session,
  { channel, listen }: Listening,
  sessions: Iterable<Session>
): ReadonlyArray<Uint8Array> => {
  if (listen) {
    session.channels.add(channel!)
    return []
  }
  for (const name of channel === undefined ? [...session.channels] : [channel]) session.channels.delete(name)
  // `UNLISTEN` was meant for this connection only. Nothing runs before the others listen again, so they miss nothing.
  const lost = new Set<string>()
  for (const other of sessions) {
    for (const name of other.channels) if (channel === undefined || name === channel) lost.add(name)
  }
  return Array.from(lost, (name) => simpleQuery(`LISTEN ${quoteIdentifier(name)}`))
}

/**
 * Clears what a connection left: its channels that nobody else listens to, its named statements, and its settings.
 * Settings are everybody's, since there is one session: they go back to what the database was started with.
 */
export const clearing = (departed: Session, others: Iterable<Session>): Uint8Array => {
  const unheard = new Set(departed.channels)
  for (const other of others) for (const channel of other.channels) unheard.delete(channel)
  const unlisten = Array.from(unheard, (channel) => `UNLISTEN ${quoteIdentifier(channel)}`)
  return concat([...["RESET ALL", ...unlisten].map(simpleQuery), closeStatements(departed.statements.keys())])
}
