import { Worker } from "node:worker_threads"
import { type EngineData, type Outcome, type Reply, type Request, shared } from "./engine-messages.ts"

export interface Run {
  readonly onPart: (bytes: Uint8Array) => void
  readonly onDone: (outcome: Outcome) => void
}

const highestSequence = 0x3fff_ffff
const transferBytes = 64 * 1024

/** The sources run with Node's type stripping, the published package as JavaScript: the thread's file has our own ending. */
const workerFile = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)

/** One life of the thread that owns the database. */
export class Engine {
  readonly #worker: Worker
  readonly #words: Int32Array
  #sequence = 0
  #run: Run | undefined
  #reason: string | undefined
  #onReady: (() => void) | undefined
  #ended = false
  readonly #exited: Promise<void>

  private constructor(directory: string, onExit: (reason: string) => void) {
    const memory = new SharedArrayBuffer(shared.words * Int32Array.BYTES_PER_ELEMENT)
    this.#words = new Int32Array(memory)
    this.#worker = new Worker(workerFile, {
      name: "coppice-database",
      workerData: { directory, shared: memory } satisfies EngineData,
      // What the embedding program was started with, an inspector for instance, is not meant for this thread.
      execArgv: [],
      // WebAssembly's calls use the thread's stack. It must outlast the limit that PostgreSQL keeps (see worker.ts), so
      // that too deep a recursion is an error of the statement and not the end of the database.
      resourceLimits: { stackSizeMb: 32 }
    })
    this.#worker.on("message", (reply: Reply) => this.#onReply(reply))
    this.#worker.on("error", (error) => {
      this.#reason ??= error instanceof Error ? error.message : String(error)
    })
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", (code) => {
        this.#ended = true
        this.#run = undefined
        resolve()
        onExit(this.#reason ?? `its thread ended with code ${code}`)
      })
    })
  }

  /** Opens the database. The promise fails if that takes longer than `startMillis`; `onExit` is called once, however it ends. */
  static start(directory: string, startMillis: number, onExit: (reason: string) => void): Promise<Engine> {
    return new Promise((resolve, reject) => {
      let ready = false
      const engine = new Engine(directory, (reason) => {
        clearTimeout(timer)
        if (ready) onExit(reason)
        else reject(new Error(reason))
      })
      const timer = setTimeout(() => void engine.kill(`it did not open within ${startMillis} ms`), startMillis)
      engine.#onReady = () => {
        ready = true
        clearTimeout(timer)
        resolve(engine)
      }
    })
  }

  /** How often something was synced to the disk since the thread began. */
  get syncs(): number {
    return Atomics.load(this.#words, shared.syncs)
  }

  /** The thread's number among this process's threads. */
  get threadId(): number {
    return this.#worker.threadId
  }

  /** Runs one cycle, up to its `Sync`. One at a time. */
  run(cycle: Uint8Array, run: Run): void {
    this.#run = run
    this.#sequence = this.#sequence === highestSequence ? 1 : this.#sequence + 1
    // A copy of its own: a view would be sent with the whole buffer that it looks into.
    const bytes = new Uint8Array(cycle)
    this.#send({ kind: "run", sequence: this.#sequence, cycle: bytes }, bytes)
  }

  /** Asks the running statement to stop. It does so the next time it sleeps or touches a file; pure computing goes on. */
  interrupt(): void {
    if (this.#run !== undefined) Atomics.store(this.#words, shared.cancel, this.#sequence)
  }

  /** Closes the database in order, or ends the thread if that takes longer than `withinMillis`. */
  async close(withinMillis: number): Promise<void> {
    if (this.#ended) return
    this.#send({ kind: "close" })
    const timer = setTimeout(() => void this.kill("it did not close in time"), withinMillis)
    await this.#exited
    clearTimeout(timer)
  }

  /** Ends the thread at once. What was committed stays, as it does when a process is killed. */
  async kill(reason: string): Promise<void> {
    this.#reason ??= reason
    await this.#worker.terminate()
  }

  #send(request: Request, bytes?: Uint8Array<ArrayBuffer>): void {
    this.#worker.postMessage(request, bytes !== undefined && bytes.length > transferBytes ? [bytes.buffer] : [])
  }

  #onReply(reply: Reply): void {
    switch (reply.kind) {
      case "ready":
        return this.#onReady?.()
      case "part":
        return this.#run?.onPart(reply.bytes)
      case "done": {
        const run = this.#run
        this.#run = undefined
        return run?.onDone(reply)
      }
      case "broken":
        this.#reason = reply.message
        return
      case "closed":
        return
    }
  }
}
