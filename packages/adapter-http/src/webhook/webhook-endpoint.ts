import { maxPayloadBytes, receiveWebhook } from "@coppice/core"
import { Effect } from "effect"
import { bearerToken } from "../pipeline/bearer.ts"
import type { Call } from "../pipeline/call.ts"
import { declaredBytes, readBody } from "../pipeline/read-body.ts"
import { json } from "../reply.ts"

/** Hands a webhook's request to the use case, which judges token, rate, body and state in that order. */
export const webhookEndpoint = ({ params, request }: Call) =>
  Effect.map(
    receiveWebhook({
      automationId: params["automationId"] ?? "",
      token: bearerToken(request.headers),
      headers: {
        declaredBytes: declaredBytes(request),
        contentType: request.headers.get("content-type") || undefined,
        contentEncoding: request.headers.get("content-encoding") || undefined
      },
      read: readBody(request, maxPayloadBytes)
    }),
    ({ runId, usage }) => ({ ...json(200, { runId, status: "queued" }), usage })
  )
