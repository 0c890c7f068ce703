/** Reads a stream's events one by one. */
export const readEvents = (response: Response) => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  const next = async (): Promise<string | undefined> => {
    while (true) {
      const end = text.indexOf("\n\n")
      if (end >= 0) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        if (!event.startsWith(":")) return event
        continue
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      text += value
    }
  }
  return { next, close: () => reader.cancel().catch(() => {}) }
}
