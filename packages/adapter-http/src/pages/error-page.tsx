import { statusOf } from "../errors/error-envelope.ts"
import type { Failure } from "../errors/failure.ts"
import type { Reply } from "../reply.ts"
import { nowhere } from "./frame.ts"
import { renderPage } from "./page.tsx"

const titles: Readonly<Record<number, string>> = {
  403: "That is not allowed",
  404: "Nothing here",
  409: "That cannot be done now",
  429: "Too many attempts",
  500: "Something went wrong",
  503: "Not available now"
}

/** What a person sees of a failure: what the envelope says, as a page. */
export const errorPage = (failure: Failure): Reply => {
  const { code, headers, hint, message, usage } = failure
  const status = statusOf[code]
  const retry = usage === undefined || code !== "RATE_LIMITED" ? undefined : { "retry-after": String(usage.resetSeconds) }
  return renderPage(
    nowhere,
    { title: titles[status] ?? "That did not work", narrow: true, status, headers: { ...retry, ...headers } },
    <div class="card">
      <p>{message}</p>
      {hint !== undefined && <p>{hint}</p>}
      <p><a href="/">Go to the start</a></p>
    </div>
  )
}
