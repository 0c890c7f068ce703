/** How an answer to a POST may come: one or the other, or as JSON that becomes a stream when there is more to say. */
export type AnswerForm = "json" | "event-stream" | "either"

interface MediaRange {
  readonly type: string
  readonly quality: number
}

const parseRange = (text: string): MediaRange => {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith("q="))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { type, quality: Number.isNaN(quality) ? 0 : Math.min(1, Math.max(0, quality)) }
}

/** The weight of a media type: that of the most specific range that matches it (RFC 9110 section 12.5.1). */
const qualityOf = (ranges: ReadonlyArray<MediaRange>, type: string): number => {
  const candidates = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"]
  for (const candidate of candidates) {
    const range = ranges.find((each) => each.type === candidate)
    if (range !== undefined) return range.quality
  }
  return 0
}

/** The form to answer in: a stream where only that is accepted, or preferred; `undefined` when neither is accepted. */
export const negotiate = (accept: string | null): AnswerForm | undefined => {
  if (accept === null || accept.trim() === "") return "either"
  const ranges = accept.split(",").map(parseRange)
  const json = qualityOf(ranges, "application/json")
  const stream = qualityOf(ranges, "text/event-stream")
  if (json === 0 && stream === 0) return undefined
  if (stream > json) return "event-stream"
  return stream === 0 ? "json" : "either"
}
