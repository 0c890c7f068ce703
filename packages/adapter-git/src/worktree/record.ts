import { WorkspaceId } from "@coppice/core"
import { Option, Schema } from "effect"
import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { writeDurably } from "../file/durable-file.ts"

/**
 * What this host knows of a worktree. It is written before anything is made, so that what a crash leaves half made is
 * known for that, and before anything is deleted, so that what is half deleted is not taken for changed.
 */
export const WorktreeRecord = Schema.Struct({
  workspaceId: WorkspaceId,
  state: Schema.Literals(["making", "ready", "removing"]),
  repositoryPath: Schema.String,
  commonDir: Schema.String,
  path: Schema.String,
  branch: Schema.String,
  /** The branch was made with it. */
  newBranch: Schema.Boolean,
  baseCommit: Schema.String,
  rescueRef: Schema.optionalKey(Schema.String)
})
export type WorktreeRecord = typeof WorktreeRecord.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(WorktreeRecord))

export const worktreeRecords = (folder: string) => {
  const read = async (workspaceId: string): Promise<WorktreeRecord | undefined> => {
    const text = await readFile(join(folder, `${workspaceId}.json`), "utf8").catch(() => "")
    return Option.getOrUndefined(decode(text))
  }
  return {
    read,
    write: (record: WorktreeRecord) => writeDurably(join(folder, `${record.workspaceId}.json`), JSON.stringify(record)),
    remove: (workspaceId: string) => rm(join(folder, `${workspaceId}.json`), { force: true }),
    all: async (): Promise<ReadonlyArray<WorktreeRecord>> => {
      const names = (await readdir(folder)).filter((name) => /^[\w-]+\.json$/.test(name))
      return (await Promise.all(names.map((name) => read(name.slice(0, -5))))).filter((record) => record !== undefined)
    }
  }
}
export type WorktreeRecords = ReturnType<typeof worktreeRecords>
