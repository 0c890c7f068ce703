import type { Duplex } from "node:stream"
import { Alarm } from "./alarm.ts"
import type { Engine } from "./engine.ts"
import type { Notification, Outcome } from "./engine-messages.ts"
import { cancelledInLine, errorResponse, simpleQuery } from "./protocol.ts"
import { applyListening, clearing, type Entry, internal, makeSession, rememberCycle, type Session } from "./session.ts"
import { type Exchange, VirtualConnection } from "./virtual-connection.ts"

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
export class Hub implements Exchange {
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
  readonly #watchdog = new Alarm()
  readonly #idleAlarm = new Alarm()
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

  join(connection: Duplex): Session | undefined {
    if (this.#closed) return undefined
    const session = makeSession(this.#nextPid, connection)
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
    for (const _ of queued) session.connection.push(cancelledInLine(session.status))
  }

  /** Lets what has begun come to its end, up to `drainMillis`, then ends every connection and the database. */
  close(drainMillis: number): Promise<void> {
    return (this.#closing ??= this.#close(drainMillis))
  }

  async #close(drainMillis: number): Promise<void> {
    await this.#starting?.catch(() => undefined)
    if (this.#engine !== undefined) await this.#drained(drainMillis)
    this.#closed = true
    const engine = this.#engine
    const busy = this.#running !== undefined
    this.#engine = undefined
    this.#forgetEverybody(new Error("The embedded database is closed"))
    if (busy) await engine?.kill("it was closed while a statement ran")
    else await engine?.close(drainMillis)
  }

  #drained(drainMillis: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, drainMillis)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#dispatch()
    })
  }

  #dispatch(): void {
    const engine = this.#engine
    if (this.#running !== undefined || engine === undefined) return
    const entry = this.#next()
    if (entry === undefined) {
      if (this.#owner === undefined) this.#onIdle?.()
      return
    }
    this.#idleAlarm.clear()
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
    if (departed !== undefined) return internal(clearing(departed, this.#sessions.values()))
    return this.#take(() => true)
  }

  #take(wanted: (entry: Entry) => boolean): Entry | undefined {
    const index = this.#waiting.findIndex(wanted)
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]
  }

  #answer(entry: Entry, bytes: Uint8Array): void {
    if (entry.session !== undefined && !entry.session.gone && bytes.length > 0) entry.session.connection.push(bytes)
  }

  #onDone(entry: Entry, outcome: Outcome): void {
    this.#running = undefined
    this.#watchdog.clear()
    const session = entry.session ?? this.#owner
    this.#owner = outcome.status === "idle" ? undefined : session
    if (entry.session !== undefined) {
      entry.session.status = outcome.status
      for (const listening of outcome.refused ? [] : entry.listening) {
        this.#repairs.push(...applyListening(entry.session, listening, this.#sessions.values()).map(internal))
      }
    }
    this.#answer(entry, outcome.bytes)
    for (const notification of outcome.notifications) this.#notify(notification)
    this.#dispatch()
    this.#watchOwner()
  }

  #notify({ bytes, channel }: Notification): void {
    for (const session of this.#sessions.values()) if (session.channels.has(channel)) session.connection.push(bytes)
  }

  /** A statement that only computes cannot be reached. Starting the database anew takes everybody half a second, and ends it. */
  #watchRunning(): void {
    this.#watchdog.set(this.#options.cancelGraceMillis, () => {
      void this.#engine?.kill("a cancelled statement would not stop")
    })
  }

  /** Somebody who owns the session and does nothing holds up everybody, for ever if he waits for one of them. */
  #watchOwner(): void {
    const owner = this.#owner
    if (owner === undefined || owner.gone || this.#running !== undefined || this.#waiting.length === 0) return
    this.#idleAlarm.set(this.#options.idleTransactionMillis, () => {
      if (this.#owner !== owner || this.#running !== undefined) return
      owner.connection.push(errorResponse("FATAL", "25P03", "terminating connection due to idle-in-transaction timeout"))
      owner.connection.destroy()
    })
  }

  #lost(reason: string): void {
    this.#engine = undefined
    this.#forgetEverybody(new Error(`The embedded database stopped: ${reason}`))
    this.#onIdle?.()
  }

  /** Whoever is connected learns that his session is gone, as when a server crashes, and may connect anew. */
  #forgetEverybody(error: Error): void {
    this.#watchdog.clear()
    this.#idleAlarm.clear()
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
