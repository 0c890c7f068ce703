import { section } from "../requirement.ts"

export const webhookRecord = section("Webhook trigger (automation)", {
  "webhook.url-shape": ["built", "The URL is {base_url}/api/automations/webhook/<automation_id>."],
  "webhook.token-prefix": ["built", "The token begins with a service-specific prefix ending in _wh_."],
  "webhook.token-on-demand": ["built", "The token is generated on demand by the user."],
  "webhook.token-shown-once": ["built", "The token is shown once: nothing answers it a second time."],
  "webhook.regenerate-replaces-token": ["built", "Regenerating replaces the token, and the new one works."],
  "webhook.old-token-stops-at-once": ["built", "After regenerating, the old token stops working immediately."],
  "webhook.no-deduplication": ["built", "There are no filters and no de-duplication: the same POST twice is two runs."]
})

export const webhookEndpoint = section("Webhook endpoint", {
  "webhook.post": ["built", "POST /api/automations/webhook/<automation_id> is the endpoint."],
  "webhook.bearer-token": ["built", "The token is sent as Authorization: Bearer <WEBHOOK_TOKEN>."],
  "webhook.accepted-200": ["built", "An accepted delivery answers 200."],
  "webhook.content-type-json": ["built", "The body is sent as Content-Type: application/json."],
  "webhook.body-object": ["built", "A JSON object is accepted."],
  "webhook.body-array": ["built", "A JSON array is accepted."],
  "webhook.body-exactly-1-mib": ["built", "A body of exactly 1 MiB is accepted."],
  "webhook.body-empty": ["built", "An empty body counts as {}."],
  "webhook.body-not-json-400": ["built", "A body that is not JSON answers 400."],
  "webhook.paused-400": ["built", "A delivery to a paused automation answers 400."],
  "webhook.missing-token-401": ["built", "A missing token answers 401."],
  "webhook.invalid-token-401": ["built", "An invalid token answers 401."],
  "webhook.body-over-1-mib-413": ["built", "A body over 1 MiB answers 413."],
  "webhook.over-300-per-minute-429": ["built", "Over 300 requests in a minute answer 429."],
  "webhook.rate-limit-retry-after": ["built", "A webhook's 429 has Retry-After in whole seconds."],
  "webhook.own-credential": ["built", "The token is the automation's own: another automation's token, or an API key, is refused."]
})

export const webhookState = section("States and transitions", {
  "webhook.active-accepts": [
    "built",
    "For an active automation, a valid token and valid JSON within the size, one run starts and the automation stays active."
  ],
  "automation.can-be-paused": ["built", "An automation can be paused."],
  "mcp-session.created-by-initialize": [
    "built",
    "initialize creates a session, identified by the Mcp-Session-Id that the client gets."
  ]
})
