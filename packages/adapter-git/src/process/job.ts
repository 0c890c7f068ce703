import { StringDecoder } from "node:string_decoder"
import { wait } from "../real-time.ts"
import { bootId } from "./boot.ts"
import { jobMarker, markerName, markerValue } from "./marker.ts"
import type { ProcessRecord, ProcessRecords } from "./process-record.ts"
import { processRow } from "./process-table.ts"
import type { Outcome } from "./spawn.ts"
import { spawnProgram } from "./spawn.ts"
import { terminate } from "./terminate.ts"
import type { Transcript } from "./transcript.ts"

/** How long output may still come after the last process is gone: what was in the pipe, and no more. */
const lastOutputMillis = 1000

/** What is needed to run a job: one program, and whatever it starts. */
export interface JobRequest {
  readonly kind: ProcessRecord["kind"]
  /** Its key: an agent session's id, or one made from a workspace's. */
  readonly job: string
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly input?: Uint8Array
  readonly promptFile?: string
  readonly onOutput: (stream: "stdout" | "stderr", text: string) => void
  readonly transcript: Transcript
}

/** A job that runs. */
export interface Job {
  readonly pid: number
  readonly startedAt: number
  /** Resolves when its main process has ended, nothing of it is left, and its record is gone. */
  readonly ended: Promise<Outcome>
  /** Ends all of it. Any number of callers may ask. */
  stop(): Promise<void>
}

export interface JobSettings {
  readonly installation: string
  readonly records: ProcessRecords
  /** What runs in this life of the host, which a settling spares. */
  readonly live: Set<string>
  readonly graceMillis: number
}

/** Starts a job. It is on record before it runs, and stays so until nothing of it is left. */
export const startJob = async (settings: JobSettings, request: JobRequest): Promise<Job> => {
  const { installation, records, live, graceMillis } = settings
  const { kind, job, onOutput, transcript } = request
  const record: ProcessRecord = {
    kind,
    job,
    boot: bootId(),
    ...(request.promptFile !== undefined && { promptFile: request.promptFile })
  }
  live.add(job)
  const spawned = await records.write(record).then(() =>
    spawnProgram(request.program, request.args, {
      cwd: request.cwd,
      environment: { ...request.environment, [markerName]: markerValue(installation, job) },
      input: request.input === undefined ? "ignore" : "pipe"
    })
  ).catch(async (error) => {
    await records.remove(job)
    live.delete(job)
    await transcript.close()
    throw error
  })
  const { child, pid } = spawned
  const startedAt = Date.now()
  for (const stream of ["stdout", "stderr"] as const) {
    const source = child[stream]!
    const decoder = new StringDecoder("utf8")
    source.on("data", (bytes: Buffer) => {
      onOutput(stream, decoder.write(bytes))
      if (transcript.write(bytes)) return
      source.pause()
      transcript.onRoom(() => source.resume())
    })
    source.on("end", () => onOutput(stream, decoder.end()))
    source.on("error", () => {})
  }
  // A program that does not read its input is no error: the pipe breaks, and that is all.
  child.stdin?.on("error", () => {})
  if (request.input !== undefined) child.stdin!.end(request.input)

  const startTime = (await processRow(pid))?.startTime
  const quarry = {
    roots: startTime === undefined ? [] : [{ pid, startTime }],
    marker: jobMarker(installation, job)
  }
  await records.write({ ...record, pid, ...(startTime !== undefined && { startTime }) }).catch(async (error) => {
    await terminate(quarry, 0)
    live.delete(job)
    throw error
  })

  let stopping: Promise<void> | undefined
  const endAll = () => stopping ??= terminate(quarry, graceMillis).finally(() => stopping = undefined)
  const ended = (async () => {
    const outcome = await spawned.exited
    // What it left behind ends with it; a stop under way may have missed what it forked last.
    await stopping?.catch(() => {})
    await endAll()
    await Promise.race([spawned.closed, wait(lastOutputMillis)])
    child.stdout!.destroy()
    child.stderr!.destroy()
    await transcript.close()
    await records.remove(job)
    live.delete(job)
    return outcome
  })()
  // Whoever awaits it hears of a failure; nobody has to.
  ended.catch(() => {})
  return {
    pid,
    startedAt,
    ended,
    stop: async () => {
      await endAll()
      await ended
    }
  }
}
