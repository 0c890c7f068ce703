import { constants } from "node:fs"
import { open, rename } from "node:fs/promises"
import { dirname } from "node:path"

const mode = 0o600

/** The values of the whole lines, and how many bytes those take. A last line that was cut off by a crash never counted. */
const parse = (path: string, content: Buffer) => {
  const bytes = content.lastIndexOf("\n") + 1
  const lines = content.subarray(0, bytes).toString("utf8").split("\n").slice(0, -1)
  const values = lines.map((line, index): unknown => {
    try {
      return JSON.parse(line)
    } catch {
      throw new Error(`${path}, line ${index + 1}: not JSON. Restore the file from a backup.`)
    }
  })
  return { values, bytes }
}

const encode = (values: ReadonlyArray<unknown>): Buffer =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""))

/** Opens a file of JSON lines, which one process reads once and then only appends to. One caller at a time. */
export const openJsonLines = async (path: string) => {
  let file = await open(path, constants.O_RDWR | constants.O_CREAT, mode)
  const content = await file.readFile().then((read) => parse(path, read)).catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  let { bytes } = content
  return {
    /** What was in the file when it was opened. */
    values: content.values,

    /** Answers once the value is on the disk. What a call that failed has written is cut off by the next one. */
    append: async (value: unknown): Promise<void> => {
      const line = encode([value])
      await file.truncate(bytes)
      await file.write(line, 0, line.length, bytes)
      await file.datasync()
      bytes += line.length
    },

    /** Puts other lines in the place of all that are there: the new file takes the old one's name, whole or not at all. */
    replace: async (values: ReadonlyArray<unknown>): Promise<void> => {
      const lines = encode(values)
      const next = await open(`${path}.next`, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, mode)
      try {
        await next.writeFile(lines)
        await next.datasync()
        await rename(`${path}.next`, path)
      } catch (error) {
        await next.close()
        throw error
      }
      const previous = file
      file = next
      bytes = lines.length
      await previous.close()
      const folder = await open(dirname(path), "r")
      await folder.sync().finally(() => folder.close())
    },

    close: (): Promise<void> => file.close()
  }
}
