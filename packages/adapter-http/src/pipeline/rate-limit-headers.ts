import type { Usage } from "@coppice/core"
import type { HeaderFields } from "../reply.ts"

/** The header fields of draft-ietf-httpapi-ratelimit-headers-06, which is the form that the interface document shows. */
export const rateLimitHeaders = ({ limit, remaining, resetSeconds }: Usage): HeaderFields => ({
  "ratelimit-limit": String(limit.max),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(resetSeconds),
  "ratelimit-policy": `${limit.max};w=${limit.windowSeconds}`
})
