import { randomInt } from "node:crypto"
import type { Engine } from "./engine.ts"
import type { Notification, Outcome } from "./engine-messages.ts"
import { closeStatements, concat, errorResponse, quoteIdentifier, readyForQuery, simpleQuery, type TransactionStatus } from "./protocol.ts"
import { rememberCycle } from "./session-memory.ts"
import { VirtualConnection } from "./virtual-connection.ts"
import type { Listening } from "./protocol.ts"

/** One of several connections that share the only session that the database has. */
export interface Session {
  readonly pid: number
  readonly secret: number
  readonly connection: VirtualConnection
  /** What this connection listens to. */
  readonly channels: Set<string>
  /** The prepared statements that this connection named, and what those that listen would do. */
  readonly statements: Map<string, Listening | undefined>
  status: TransactionStatus
  gone: boolean
}

interface Entry {
  /** Undefined for what the hub itself asks. */
  readonly session: Session | undefined
  readonly cycle: Uint8Array
  readonly listening: ReadonlyArray<Listening>
  cancelled: boolean
}

export interface HubOptions {
  readonly start: (onExit: (reason: string) => void) => Promise<Engine>
  /** How long a cancelled statement may go on before the database is started anew. */
  readonly cancelGraceMillis: number
  /** How long a transaction may do nothing while others wait. */
  readonly idleTransactionMillis: number
}

/**
 * Lets several connections share one session, one cycle at a time. Whoever opens a transaction owns the session until
 * the database says that it is idle again; everybody else waits in line. What one connection leaves behind, a
 * transaction, a channel, a setting, a named statement, is cleared before anybody else's turn.
 */
export class Hub {
  readonly #options: HubOptions
  readonly #sessions = new Map<number, Session>()
  #engine: Engine | undefined
  #nextPid = 1
  #running: Entry | undefined
  #owner: Session | undefined
  #waiting: Array<Entry> = []
  /** What must be put right before anybody's turn, oldest first. */
  #repairs: Array<Entry> = []
  #departed: Array<Session> = []
  #watchdog: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  #closed = false
  #starting: Promise<void> | undefined
  #onIdle: (() => void) | undefined

  constructor(options: HubOptions) {
    this.#options = options
  }

  /** How often something was synced to the disk since the database was last started. */
  get syncs(): number {
    return this.#engine?.syncs ?? 0
  }

  start(): Promise<void> {
    return (this.#starting ??= this.#options.start((reason) => this.#lost(reason)).then(
      (engine) => {
        this.#starting = undefined
        if (this.#closed) return engine.kill("closed")
        this.#engine = engine
        this.#dispatch()
        return undefined
      },
      (error: unknown) => {
        this.#starting = undefined
        throw error
      }
    ))
  }

  /** A new connection. After the database has stopped, the first one starts it anew. */
  connect(): VirtualConnection {
    const connection = new VirtualConnection(this)
    if (this.#closing !== undefined) connection.destroy(new Error("The embedded database is closing"))
    else if (this.#engine === undefined) this.start().catch((error: unknown) => this.#forgetEverybody(error as Error))
    return connection
  }

  join(connection: VirtualConnection): Session | undefined {
    if (this.#closed) return undefined
    const session: Session = {
      pid: this.#nextPid,
      secret: randomInt(1, 0x7fff_ffff),
      connection,
      channels: new Set(),
      statements: new Map(),
      status: "idle",
      gone: false
    }
    this.#nextPid = this.#nextPid === 0x7fff_ffff ? 1 : this.#nextPid + 1
    this.#sessions.set(session.pid, session)
    return session
  }

  submit(session: Session, cycle: Uint8Array): void {
    if (session.gone) return
    this.#waiting.push({ session, cycle, listening: rememberCycle(session, cycle), cancelled: false })
    this.#dispatch()
    this.#watchOwner()
  }

  /** A connection has ended. What it still waited for is dropped, and what it left is cleared. */
  leave(session: Session): void {
    if (session.gone) return
    session.gone = true
    this.#sessions.delete(session.pid)
    this.#waiting = this.#waiting.filter((entry) => entry.session !== session)
    this.#departed.push(session)
    this.#dispatch()
  }

  /** A CancelRequest. It is answered here, out of turn: in line it would wait for the statement that it is meant to end. */
  cancel(pid: number, secret: number): void {
    const session = this.#sessions.get(pid)
    if (session === undefined || session.secret !== secret) return
    if (this.#running?.session === session) {
      this.#running.cancelled = true
      this.#engine?.interrupt()
      this.#watchRunning()
      return
    }
    const queued = this.#waiting.filter((entry) => entry.session === session)
    if (session === this.#owner) {
      for (const entry of queued) entry.cancelled = true
      return
    }
    this.#waiting = this.#waiting.filter((entry) => entry.session !== session)
    for (const _ of queued) {
      session.connection.push(concat([
        errorResponse("ERROR", "57014", "canceling statement due to user request"),
        readyForQuery(session.status)
      ]))
    }
  }

  /** Lets what has begun come to its end, up to `drainMillis`, then ends every connection and the database. */
  close(drainMillis: number): Promise<void> {
    return (this.#closing ??= this.#close(drainMillis))
  }

  async #close(drainMillis: number): Promise<void> {
    await this.#starting?.catch(() => undefined)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, drainMillis)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#dispatch()
    })
    this.#closed = true
    const engine = this.#engine
    const busy = this.#running !== undefined
    this.#engine = undefined
    this.#forgetEverybody(new Error("The embedded database is closed"))
    if (busy) await engine?.kill("it was closed while a statement ran")
    else await engine?.close(drainMillis)
  }

  #dispatch(): void {
    const engine = this.#engine
    if (this.#running !== undefined || engine === undefined) return
    const entry = this.#next()
    if (entry === undefined) {
      if (this.#owner === undefined) this.#onIdle?.()
      return
    }
    clearTimeout(this.#idleTimer)
    this.#idleTimer = undefined
    this.#running = entry
    engine.run(entry.cycle, {
      onPart: (bytes) => this.#answer(entry, bytes),
      onDone: (outcome) => this.#onDone(entry, outcome)
    })
    if (entry.cancelled) {
      engine.interrupt()
      this.#watchRunning()
    }
  }

  #next(): Entry | undefined {
    const owner = this.#owner
    if (owner !== undefined) {
      if (owner.gone) return internal(simpleQuery("ROLLBACK"))
      return this.#take((entry) => entry.session === owner)
    }
    const repair = this.#repairs.shift()
    if (repair !== undefined) return repair
    const departed = this.#departed.shift()
    if (departed !== undefined) return internal(this.#clearing(departed))
    return this.#take(() => true)
  }

  #take(wanted: (entry: Entry) => boolean): Entry | undefined {
    const index = this.#waiting.findIndex(wanted)
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]
  }

  /** Settings belong to the session, so to everybody: they go back to what the database was started with. */
  #clearing(departed: Session): Uint8Array {
    const unheard = [...departed.channels].filter((channel) => !this.#isHeard(channel))
    return concat([
      ...["RESET ALL", ...unheard.map((channel) => `UNLISTEN ${quoteIdentifier(channel)}`)].map(simpleQuery),
      closeStatements(departed.statements.keys())
    ])
  }

  #isHeard(channel: string): boolean {
    for (const session of this.#sessions.values()) if (session.channels.has(channel)) return true
    return false
  }

  #answer(entry: Entry, bytes: Uint8Array): void {
    if (entry.session !== undefined && !entry.session.gone && bytes.length > 0) entry.session.connection.push(bytes)
  }

  #onDone(entry: Entry, outcome: Outcome): void {
    this.#running = undefined
    clearTimeout(this.#watchdog)
    this.#watchdog = undefined
    const session = entry.session ?? this.#owner
    this.#owner = outcome.status === "idle" ? undefined : session
    if (entry.session !== undefined) {
      entry.session.status = outcome.status
      if (!outcome.refused) for (const listening of entry.listening) this.#listen(entry.session, listening)
    }
    this.#answer(entry, outcome.bytes)
    for (const notification of outcome.notifications) this.#notify(notification)
    this.#dispatch()
    this.#watchOwner()
  }

  #listen(session: Session, { channel, listen }: Listening): void {
    if (listen) {
      session.channels.add(channel!)
      return
    }
    const left = channel === undefined ? [...session.channels] : [channel]
    for (const name of left) session.channels.delete(name)
    // `UNLISTEN` was meant for this connection only: the others' channels are taken up again before anything else runs.
    const lost = new Set<string>()
    for (const other of this.#sessions.values()) {
      for (const name of other.channels) if (channel === undefined || name === channel) lost.add(name)
    }
    for (const name of lost) this.#repairs.push(internal(simpleQuery(`LISTEN ${quoteIdentifier(name)}`)))
  }

  #notify({ bytes, channel }: Notification): void {
    for (const session of this.#sessions.values()) if (session.channels.has(channel)) session.connection.push(bytes)
  }

  /** A statement that only computes cannot be reached. Starting the database anew takes everybody half a second, and ends it. */
  #watchRunning(): void {
    if (this.#watchdog !== undefined) return
    this.#watchdog = setTimeout(() => {
      void this.#engine?.kill("a cancelled statement would not stop")
    }, this.#options.cancelGraceMillis)
  }

  /** Somebody who owns the session and does nothing holds up everybody, for ever if he waits for one of them. */
  #watchOwner(): void {
    const owner = this.#owner
    if (owner === undefined || owner.gone || this.#running !== undefined || this.#waiting.length === 0) return
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = undefined
      if (this.#owner !== owner || this.#running !== undefined) return
      owner.connection.push(errorResponse("FATAL", "25P03", "terminating connection due to idle-in-transaction timeout"))
      owner.connection.destroy()
    }, this.#options.idleTransactionMillis)
  }

  #lost(reason: string): void {
    this.#engine = undefined
    this.#forgetEverybody(new Error(`The embedded database stopped: ${reason}`))
  }

  /** Whoever is connected learns that his session is gone, as when a server crashes, and may connect anew. */
  #forgetEverybody(error: Error): void {
    clearTimeout(this.#watchdog)
    clearTimeout(this.#idleTimer)
    this.#watchdog = this.#idleTimer = undefined
    this.#running = this.#owner = undefined
    this.#waiting = []
    this.#repairs = []
    this.#departed = []
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    for (const session of sessions) {
      session.gone = true
      session.connection.destroy(error)
    }
  }
}

const internal = (cycle: Uint8Array): Entry => ({ session: undefined, cycle, listening: [], cancelled: false })
