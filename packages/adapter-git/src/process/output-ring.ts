import type { AgentEvent } from "@coppice/core"

/** What an event costs beside its text, so that many tiny ones are bounded too. */
const eventOverheadBytes = 64

/** How far apart the totals are kept, by which a reader is told how much it missed. */
const checkpointEvery = 256

interface Kept {
  readonly event: AgentEvent
  readonly bytes: number
  /** Bytes of output before this event. */
  readonly before: number
}

/**
 * The latest events of a process, up to so many bytes. It never makes the writer wait: what is oldest goes, and a
 * reader that had not got so far is told.
 */
export class OutputRing {
  readonly #capacityBytes: number
  #kept: Array<Kept> = []
  #first = 0
  #size = 0
  #sequence = 0
  #total = 0
  #ended = false
  readonly #checkpoints: Array<number> = [0]
  readonly #waiting = new Map<() => void, number>()

  constructor(capacityBytes: number) {
    this.#capacityBytes = capacityBytes
  }

  get ended(): boolean {
    return this.#ended
  }

  output(stream: "stdout" | "stderr", text: string): void {
    if (text === "" || this.#ended) return
    this.#push((sequence) => ({ _tag: "Output", sequence, stream, text }), Buffer.byteLength(text))
  }

  exited(outcome: { readonly exitCode?: number; readonly signal?: string }): void {
    if (this.#ended) return
    this.#ended = true
    this.#push((sequence) => ({ _tag: "Exited", sequence, ...outcome }), 0)
  }

  /** The events after a sequence, of up to about so many bytes; a `Dropped` first when some of them are lost. */
  read(afterSequence: number, maxBytes = 256 * 1024): ReadonlyArray<AgentEvent> {
    const after = Math.max(0, Math.floor(afterSequence))
    const oldest = this.#kept[this.#first]
    if (oldest === undefined || after >= this.#sequence) return []
    const events: Array<AgentEvent> = []
    let index = this.#first + (after + 1 - oldest.event.sequence)
    if (index < this.#first) {
      index = this.#first
      events.push({ _tag: "Dropped", sequence: oldest.event.sequence - 1, bytes: oldest.before - this.#totalAt(after) })
    }
    for (let bytes = 0; index < this.#kept.length && bytes < maxBytes; index++) {
      events.push(this.#kept[index]!.event)
      bytes += this.#kept[index]!.bytes
    }
    return events
  }

  /** Calls back once there is something after a sequence. Answers how to stop waiting. */
  onMore(afterSequence: number, more: () => void): () => void {
    if (this.#sequence > afterSequence) {
      more()
      return () => {}
    }
    this.#waiting.set(more, afterSequence)
    return () => this.#waiting.delete(more)
  }

  #push(make: (sequence: number) => AgentEvent, bytes: number): void {
    this.#sequence += 1
    this.#kept.push({ event: make(this.#sequence), bytes, before: this.#total })
    this.#total += bytes
    if (this.#sequence % checkpointEvery === 0) this.#checkpoints.push(this.#total)
    this.#size += bytes + eventOverheadBytes
    // The newest always stays, so that `Exited` is never lost.
    while (this.#size > this.#capacityBytes && this.#first < this.#kept.length - 1) {
      this.#size -= this.#kept[this.#first]!.bytes + eventOverheadBytes
      this.#first += 1
    }
    if (this.#first > 1024 && this.#first > this.#kept.length / 2) {
      this.#kept = this.#kept.slice(this.#first)
      this.#first = 0
    }
    for (const [more, after] of Array.from(this.#waiting)) {
      // Who waits for a later one, as a reader that resumes does, is woken at the end too, when none will come.
      if (this.#sequence <= after && !this.#ended) continue
      this.#waiting.delete(more)
      more()
    }
  }

  /** The bytes up to a sequence that is no longer kept, at least: totals are kept for every so many events only. */
  #totalAt(sequence: number): number {
    return this.#checkpoints[Math.floor(sequence / checkpointEvery)] ?? this.#total
  }
}
