import type { CurrentPrincipal } from "@coppice/core"
import { Effect } from "effect"
import type { HttpPorts } from "../app-options.ts"
import { Refused } from "../errors/failure.ts"
import { jsonRpcError, rpcCode } from "../errors/json-rpc-error.ts"
import type { Call } from "../pipeline/call.ts"
import { readBody } from "../pipeline/read-body.ts"
import { json, type Reply } from "../reply.ts"
import type { ServiceOptions } from "../service-options.ts"
import { negotiate } from "./accept.ts"
import { makeLegacyPost } from "./legacy/legacy-post.ts"
import { makeModernPost } from "./modern/modern-post.ts"
import { isModern } from "./modern/modern-request.ts"
import { makeSurface } from "./surface.ts"

/** The most that a POST may hold: 4 MiB. */
export const maxMessageBytes = 4 * 1024 * 1024

const notAcceptable = () =>
  new Refused({
    code: "NOT_ACCEPTABLE",
    message: "The Accept field admits neither JSON nor an event stream.",
    hint: "Accept application/json, text/event-stream, or both."
  })

const unsupportedMediaType = () =>
  new Refused({
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "A JSON-RPC message is sent as JSON.",
    hint: "Send Content-Type: application/json."
  })

const payloadTooLarge = () =>
  new Refused({ code: "PAYLOAD_TOO_LARGE", message: "The body is over 4 MiB.", hint: "Send less in one message." })

const isJson = (contentType: string | null): boolean => /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? "")

const utf8 = new TextDecoder("utf-8", { fatal: true })

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

/** POST of the MCP Streamable HTTP transport. */
export const makePostEndpoint = <R>(service: ServiceOptions<R>) => {
  const surface = makeSurface(service)
  const legacy = makeLegacyPost(service, surface)
  const modern = makeModernPost(service, surface)
  return Effect.fnUntraced(function*(call: Call): Effect.fn.Return<Reply, Refused, R | HttpPorts | CurrentPrincipal> {
    const { headers } = call.request
    const form = negotiate(headers.get("accept"))
    if (form === undefined) return yield* notAcceptable()
    if (!isJson(headers.get("content-type"))) return yield* unsupportedMediaType()
    const bytes = yield* readBody(call.request, maxMessageBytes)
    if (bytes === undefined) return yield* payloadTooLarge()
    const body = parse(bytes)
    if (body === undefined) return json(400, jsonRpcError(null, rpcCode.parseError, "The body is not valid JSON."))
    return yield* (isModern(call.request, body) ? modern : legacy)(call, form, body)
  })
}
