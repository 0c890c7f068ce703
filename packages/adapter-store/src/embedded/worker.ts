/**
 * The thread that owns the embedded database. It runs one statement at a time, to its end, and knows nothing of
 * connections: who may speak next is decided in the hub.
 */
import { PGlite } from "@electric-sql/pglite"
import { parentPort, workerData } from "node:worker_threads"
import { AnswerReader } from "./answer-reader.ts"
import { DurableFileSystem } from "./durable-file-system.ts"
import { type EngineData, type Reply, type Request, shared } from "./engine-messages.ts"
import { startParams } from "./start-parameters.ts"

const port = parentPort!
const data = workerData as EngineData
const words = new Int32Array(data.shared)

const reply = (message: Reply): void => port.postMessage(message)

let running = 0

const files = new DurableFileSystem(data.directory, {
  onSync: () => Atomics.add(words, shared.syncs, 1),
  isCancelled: () => running !== 0 && Atomics.compareExchange(words, shared.cancel, running, 0) === running
})

/**
 * PGlite catches whatever a statement throws and goes on. What is neither an error of PostgreSQL's nor a normal return
 * leaves a broken module behind, in which going on would loop for ever, so the thread ends instead.
 */
const endOnBreakage = (module: Record<string, unknown>): void => {
  const longJump = 100
  const step = module._PostgresMainLoopOnce as () => void
  module._PostgresMainLoopOnce = () => {
    try {
      step()
    } catch (thrown) {
      if ((thrown as { status?: number }).status === longJump) throw thrown
      reply({ kind: "broken", message: String((thrown as Error).message ?? thrown) })
      process.exit(1)
    }
  }
}

const database = await PGlite.create({ fs: files, startParams })
endOnBreakage(database.Module as unknown as Record<string, unknown>)

const answer = new AnswerReader((bytes) => reply({ kind: "part", bytes }))

const run = async (sequence: number, cycle: Uint8Array): Promise<void> => {
  running = sequence
  await database.execProtocolRawStream(cycle, { syncToFs: false, onRawData: answer.push })
  running = 0
  reply({ kind: "done", ...answer.finish() })
}

const close = async (): Promise<void> => {
  await database.close()
  reply({ kind: "closed" })
  port.close()
}

port.on("message", (request: Request) => {
  switch (request.kind) {
    case "run":
      return void run(request.sequence, request.cycle)
    case "close":
      return void close()
  }
})

reply({ kind: "ready" })
