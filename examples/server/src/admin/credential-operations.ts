import {
  Access,
  ApiKey,
  createApiKey,
  Automation,
  listApiKeys,
  Name,
  PageRequest,
  Reference,
  revokeApiKey,
  rotateWebhookToken,
  Timestamp
} from "@coppice/core"
import { Effect, Schema } from "effect"
import { Installation } from "../installation.ts"
import { defineOperation } from "./operation.ts"

export const keysCreate = defineOperation({
  name: "keys_create",
  input: {
    name: Name,
    access: Schema.optionalKey(Access),
    projectIds: Schema.optionalKey(Schema.Array(Reference)),
    expiresAt: Schema.optionalKey(Timestamp)
  },
  output: { apiKey: ApiKey, key: Schema.String },
  run: (input) => Effect.map(createApiKey(input), ({ key, secret }) => ({ apiKey: key, key: secret }))
})

export const keysList = defineOperation({
  name: "keys_list",
  input: PageRequest.fields,
  output: { apiKeys: Schema.Array(ApiKey), nextCursor: Schema.optionalKey(Schema.String) },
  run: (page) => Effect.map(listApiKeys(page), ({ items, ...rest }) => ({ apiKeys: items, ...rest }))
})

export const keysRevoke = defineOperation({
  name: "keys_revoke",
  input: { key: Reference },
  output: { apiKey: ApiKey },
  run: ({ key }) => Effect.map(revokeApiKey(key), (apiKey) => ({ apiKey }))
})

/** Where an automation's webhook is, and a new token for it. The one before is worth nothing from then on. */
export const automationsWebhookToken = defineOperation({
  name: "automations_webhook_token",
  input: { automationId: Reference },
  output: { automation: Automation, url: Schema.String, token: Schema.String },
  run: Effect.fn(function*({ automationId }) {
    const { automation, token } = yield* rotateWebhookToken(automationId)
    const { baseUrl } = yield* Installation
    return { automation, token, url: `${baseUrl()}/api/automations/webhook/${automation.id}` }
  })
})
