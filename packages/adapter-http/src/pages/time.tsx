import type { Timestamp } from "@coppice/core"
import { DateTime } from "effect"
import { useFrame } from "./frame.ts"

const units = [
  ["year", 365 * 24 * 60 * 60],
  ["month", 30 * 24 * 60 * 60],
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60]
] as const

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

/** What has passed counts once it is whole; what is to come, to the nearest: a key for 90 days does not end "in 2 months". */
const counted = (amount: number): number => amount < 0 ? Math.trunc(amount) : Math.round(amount)

const relative = (seconds: number): string => {
  const unit = units.find(([, size]) => Math.abs(seconds) >= size)
  return unit === undefined ? "just now" : words.format(counted(seconds / unit[1]), unit[0])
}

/** An instant as people think of it; the instant itself is behind it. */
export const Time = ({ at }: { readonly at: Timestamp }) => {
  const iso = DateTime.formatIso(at)
  const seconds = (DateTime.toEpochMillis(at) - useFrame().nowMillis) / 1000
  return <time dateTime={iso} title={`${iso.slice(0, 16).replace("T", " ")} UTC`}>{relative(seconds)}</time>
}
