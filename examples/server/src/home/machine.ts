import { MachineId, newId } from "@coppice/core"
import { Effect, Schema } from "effect"
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { StartFailure } from "../start-failure.ts"

const Machine = Schema.fromJsonString(Schema.Struct({ machineId: MachineId }))
const decode = Schema.decodeUnknownEffect(Machine)

/** Makes the data folder, for its owner alone. One that is there stays as its owner made it; what goes into it is private. */
export const makeHome = (home: string) =>
  Effect.try({
    try: () => mkdirSync(home, { recursive: true, mode: 0o700 }),
    catch: (cause) =>
      new StartFailure({
        message: `The data folder ${home} cannot be used: ${(cause as Error).message}.`,
        hint: "Choose another one with COPPICE_HOME, one that this user may write."
      })
  })

/**
 * Who this machine is to every organization, kept with the data. It is written once, whole, under a name that is not there
 * yet, so that two processes that come first together agree.
 */
export const machineOf = Effect.fn("machineOf")(function*(home: string) {
  const file = join(home, "host.json")
  const machineId = yield* newId(MachineId)
  const draft = `${file}.${process.pid}`
  const text = yield* Effect.try({
    try: () => {
      writeFileSync(draft, `${JSON.stringify({ machineId })}\n`, { mode: 0o600 })
      try {
        linkSync(draft, file)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
      } finally {
        rmSync(draft, { force: true })
      }
      return readFileSync(file, "utf8")
    },
    catch: (cause) => new StartFailure({ message: `${file} cannot be written or read: ${(cause as Error).message}.` })
  })
  const machine = yield* Effect.mapError(decode(text), () =>
    new StartFailure({
      message: `${file} holds no machine id.`,
      hint: "Restore it from a backup. Without it this machine would be a new host, which has none of the projects."
    }))
  const name = hostname().replace(/[^\x21-\x7e]+/g, "-").slice(0, 100)
  return { machineId: machine.machineId, name: name === "" ? "this-machine" : name }
})
