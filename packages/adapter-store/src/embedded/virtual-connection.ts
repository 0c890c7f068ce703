import { Duplex } from "node:stream"
import { concat, eachMessage, greeting, int32At, letter, opening } from "./protocol.ts"
import type { Session } from "./session.ts"

/** What a connection needs from whoever shares the session out. */
export interface Exchange {
  readonly join: (connection: Duplex) => Session | undefined
  readonly submit: (session: Session, cycle: Uint8Array) => void
  readonly leave: (session: Session) => void
  readonly cancel: (pid: number, secret: number) => void
}

const sync = letter("S")
const query = letter("Q")
const terminate = letter("X")
const encryptionRefused = Uint8Array.of(letter("N"))
const nothing = new Uint8Array(0)

/**
 * What the driver takes for a socket. It cuts what the driver writes into cycles, each ending where the server would
 * answer `ReadyForQuery`, and hands them on.
 */
export class VirtualConnection extends Duplex {
  readonly #exchange: Exchange
  #session: Session | undefined
  #pending: Uint8Array = nothing

  constructor(exchange: Exchange) {
    super({ emitClose: true, autoDestroy: true })
    this.#exchange = exchange
  }

  override _read(): void {
    // What arrives is pushed when it arrives: the database computes a result whole, so there is nothing to hold back.
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    this.#pending = this.#pending.length === 0 ? chunk : concat([this.#pending, chunk])
    if (this.#session === undefined) this.#open()
    if (this.#session !== undefined) this.#submit(this.#session)
    done()
  }

  override _final(done: (error?: Error) => void): void {
    done()
    // The driver no longer reads, so the readable side would never see its end.
    this.destroy()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#pending = nothing
    if (this.#session !== undefined) this.#exchange.leave(this.#session)
    done(error)
  }

  #open(): void {
    const length = this.#pending.length < 8 ? Infinity : int32At(this.#pending, 0)
    if (this.#pending.length < length) return
    const asked = opening(this.#pending)
    this.#pending = this.#pending.subarray(length)
    switch (asked.kind) {
      case "encryption":
        this.push(encryptionRefused)
        return
      case "cancel":
        this.#exchange.cancel(asked.pid, asked.secret)
        this.destroy()
        return
      case "startup":
        this.#session = this.#exchange.join(this)
        if (this.#session === undefined) this.destroy(new Error("The embedded database is closed"))
        else this.push(greeting(this.#session.pid, this.#session.secret))
    }
  }

  #submit(session: Session): void {
    const bytes = this.#pending
    let from = 0
    eachMessage(bytes, 0, bytes.length, (type, _start, end) => {
      if (type === terminate) return void this.destroy()
      if (type !== sync && type !== query) return
      this.#exchange.submit(session, bytes.subarray(from, end))
      from = end
    })
    this.#pending = from === bytes.length ? nothing : bytes.subarray(from)
  }
}
