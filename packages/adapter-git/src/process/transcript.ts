import { createWriteStream, mkdirSync } from "node:fs"
import { dirname } from "node:path"

/** A file that holds a process's output as it came, up to so many bytes. */
export interface Transcript {
  /** Answers whether there is room for more at once; when not, `onRoom` tells. */
  write(bytes: Uint8Array): boolean
  onRoom(room: () => void): void
  close(): Promise<void>
}

/** A disk that is full or broken ends the transcript, not the process: what it says then still comes by the ring. */
export const openTranscript = (path: string, maxBytes: number): Transcript => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = createWriteStream(path, { flags: "a", mode: 0o600 })
  let left = maxBytes
  let broken = false
  let closed = false
  let waiting: Array<() => void> = []
  const room = () => {
    const now = waiting
    waiting = []
    for (const call of now) call()
  }
  file.on("drain", room)
  file.on("error", () => {
    broken = true
    room()
  })
  return {
    write: (bytes) => {
      if (broken || closed || left <= 0) return true
      const fits = bytes.subarray(0, left)
      left -= fits.length
      const ready = file.write(fits)
      if (left <= 0) file.write(`\n[coppice: the transcript ends here, at ${maxBytes} bytes]\n`)
      return ready
    },
    onRoom: (call) => {
      if (broken || closed || !file.writableNeedDrain) call()
      else waiting.push(call)
    },
    close: () =>
      new Promise((resolve) => {
        closed = true
        room()
        if (broken) resolve()
        else {
          file.once("error", () => resolve())
          file.end(() => resolve())
        }
      })
  }
}
