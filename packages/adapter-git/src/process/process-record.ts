import { Option, Schema } from "effect"
import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { writeDurably } from "../file/durable-file.ts"

/**
 * What is known of a job's process on disk. It is written before the process starts, and completed with pid and start
 * time right after, so that nothing runs without a record; the marker finds what a crash caught in between.
 */
export const ProcessRecord = Schema.Struct({
  kind: Schema.Literals(["agent", "setup"]),
  job: Schema.String,
  /** The boot that it belongs to: after another one nothing of it can run. */
  boot: Schema.String,
  pid: Schema.optionalKey(Schema.Int),
  startTime: Schema.optionalKey(Schema.String),
  /** A file to remove with it. */
  promptFile: Schema.optionalKey(Schema.String)
})
export type ProcessRecord = typeof ProcessRecord.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessRecord))

const fileName = /^[\w-]+\.json$/

/** The records of a data folder's `processes`. */
export interface ProcessRecords {
  write(record: ProcessRecord): Promise<void>
  remove(job: string): Promise<void>
  all(): Promise<ReadonlyArray<ProcessRecord>>
}

export const processRecords = (folder: string): ProcessRecords => ({
  write: (record) => writeDurably(join(folder, `${record.job}.json`), JSON.stringify(record)),
  remove: (job) => rm(join(folder, `${job}.json`), { force: true }),
  all: async () => {
    const names = await readdir(folder).catch(() => [])
    const texts = await Promise.all(
      names.filter((name) => fileName.test(name)).map((name) => readFile(join(folder, name), "utf8").catch(() => ""))
    )
    return texts.flatMap((text) => Option.toArray(decode(text)))
  }
})
