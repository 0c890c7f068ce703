/** A timer that is set at most once at a time. */
export class Alarm {
  #timer: NodeJS.Timeout | undefined

  /** Does nothing if it is already set. */
  set(millis: number, ring: () => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      ring()
    }, millis)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
