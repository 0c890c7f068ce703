import { readPresence } from "../home/presence.ts"
import { Failed, type Session } from "./command.ts"
import { answers, socketSession } from "./socket-session.ts"

const retryMillis = 100

/** A server that starts has the data folder before it listens; a first start makes its database meanwhile. */
const patienceMillis = 20_000

export interface Connection {
  readonly session: Session
  /** Whether a server does the work; otherwise this process has the data folder until it is closed. */
  readonly server: boolean
  readonly close: () => Promise<void>
}

/** The way to the service: to the server that runs, or, when none does, straight to the data. */
export const connect = async (home: string, user: string | undefined): Promise<Connection> => {
  const deadline = performance.now() + patienceMillis
  while (true) {
    const socket = readPresence(home)?.socket
    if (socket !== undefined && await answers(socket)) {
      return { session: socketSession(socket, user), server: true, close: async () => {} }
    }
    // Loaded only when it is needed: it is the whole service, and a command to a server is there in no time without it.
    const { offlineSession } = await import("../offline-session.ts")
    try {
      return { ...await offlineSession(user), server: false }
    } catch (error) {
      const failure = error as { readonly reason?: string; readonly message: string; readonly hint?: string }
      if (failure.reason !== "home-taken" || performance.now() > deadline) {
        throw new Failed({ code: "UNAVAILABLE", message: failure.message, hint: failure.hint })
      }
      await new Promise((resolve) => setTimeout(resolve, retryMillis))
    }
  }
}

/** Connects at the first call, and only then. */
export const lazySession = (home: string, user: string | undefined) => {
  let connection: Promise<Connection> | undefined
  const open = () => connection ??= connect(home, user)
  const session: Session = {
    call: async (operation, args) => (await open()).session.call(operation, args),
    follow: async function*(runId, afterSequence) {
      yield* (await open()).session.follow(runId, afterSequence)
    }
  }
  return { session, open, close: async () => connection === undefined ? undefined : (await connection.catch(() => undefined))?.close() }
}
