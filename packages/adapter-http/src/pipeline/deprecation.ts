import type { Deprecation } from "../endpoint.ts"
import { Refused } from "../errors/failure.ts"
import type { HeaderFields } from "../reply.ts"

/** Deprecation (RFC 9745: a date as a structured field), Sunset (RFC 8594: an HTTP date) and where to go instead. */
export const deprecationHeaders = ({ since, successor, sunset }: Deprecation): HeaderFields => ({
  deprecation: `@${Math.floor(since.getTime() / 1000)}`,
  sunset: sunset.toUTCString(),
  link: `<${successor}>; rel="successor-version"`
})

export const gone = (replacement: string): Refused =>
  new Refused({
    code: "GONE",
    message: "This endpoint was removed.",
    hint: `Use ${replacement} instead.`
  })
