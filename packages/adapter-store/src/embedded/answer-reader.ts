import type { Notification, Outcome } from "./engine-messages.ts"
import { eachMessage, letter, notificationChannel, statusOf, type TransactionStatus } from "./protocol.ts"

const notificationResponse = letter("A")
const errorResponse = letter("E")
const readyForQuery = letter("Z")

/** Answers longer than this leave in parts, so that a large result is not held twice. */
const partBytes = 1024 * 1024

/**
 * Collects what the database says to one statement. It writes in pieces of its own buffer's size, and what it says to
 * whoever listens stands between what it says to whoever asked: here the two are told apart.
 */
export class AnswerReader {
  #buffer = new Uint8Array(64 * 1024)
  #length = 0
  #read = 0
  #status: TransactionStatus = "idle"
  #refused = false
  #notifications: Array<Notification> = []
  readonly #onPart: (bytes: Uint8Array) => void

  constructor(onPart: (bytes: Uint8Array) => void) {
    this.#onPart = onPart
  }

  readonly push = (chunk: Uint8Array): void => {
    this.#reserve(chunk.length)
    this.#buffer.set(chunk, this.#length)
    this.#length += chunk.length
    this.#scan()
    if (this.#read > partBytes) this.#onPart(this.#take())
  }

  finish(): Outcome {
    const outcome = { bytes: this.#take(), status: this.#status, refused: this.#refused, notifications: this.#notifications }
    this.#refused = false
    this.#notifications = []
    return outcome
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#length + more))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }

  #scan(): void {
    const buffer = this.#buffer
    // Whole messages move down over the notifications that stood between them.
    let write = this.#read
    const read = eachMessage(buffer, this.#read, this.#length, (type, start, end) => {
      if (type === notificationResponse) {
        this.#notifications.push({ channel: notificationChannel(buffer, start), bytes: buffer.slice(start, end) })
        return
      }
      if (type === errorResponse) this.#refused = true
      if (type === readyForQuery) this.#status = statusOf(buffer[start + 5]!)
      if (write !== start) buffer.copyWithin(write, start, end)
      write += end - start
    })
    if (read !== write) {
      buffer.copyWithin(write, read, this.#length)
      this.#length -= read - write
    }
    this.#read = write
  }

  #take(): Uint8Array {
    const bytes = this.#buffer.slice(0, this.#read)
    this.#buffer.copyWithin(0, this.#read, this.#length)
    this.#length -= this.#read
    this.#read = 0
    if (this.#buffer.length > 4 * partBytes && this.#length === 0) this.#buffer = new Uint8Array(64 * 1024)
    return bytes
  }
}
