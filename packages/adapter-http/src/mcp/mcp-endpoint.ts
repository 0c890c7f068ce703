import type { CurrentPrincipal } from "@coppice/core"
import { Effect } from "effect"
import { Refused } from "../errors/failure.ts"
import { jsonRpcError, rpcCode } from "../errors/json-rpc-error.ts"
import type { Call } from "../pipeline/call.ts"
import { readBody } from "../pipeline/read-body.ts"
import { empty, json, type Reply } from "../reply.ts"
import type { ServiceOptions } from "../service-options.ts"
import { type AnswerForm, negotiate } from "./accept.ts"
import { exchange } from "./exchange.ts"
import { makeMcpServer, protocolVersions } from "./mcp-server.ts"
import { readMessage } from "./message.ts"
import { paramsFault } from "./params.ts"

/** The most that one JSON-RPC message may hold: 4 MiB. */
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

/** An answer in the form that the client takes: as it is, or as the one event of a stream that then ends. */
const inForm = (form: AnswerForm, message: object): Reply =>
  form === "json" ? json(200, message) : {
    status: 200,
    body: `event: message\ndata: ${JSON.stringify(message)}\n\n`,
    headers: { "content-type": "text/event-stream", "cache-control": "no-cache" }
  }

const toolsetsOf = (request: Request): ReadonlySet<string> =>
  new Set(
    request.url.includes("?")
      ? new URL(request.url).searchParams.getAll("toolsets").flatMap((list) => list.split(",")).filter(Boolean)
      : []
  )

/** A client that names a revision in the header means it; one that names none is of 2025-03-26 or does not care. */
const versionFault = (request: Request): string | undefined => {
  const version = request.headers.get("mcp-protocol-version")
  if (version === null || (protocolVersions as ReadonlyArray<string>).includes(version)) return undefined
  return `Unsupported protocol version: ${version}. Served: ${protocolVersions.join(", ")}.`
}

/** POST of the MCP Streamable HTTP transport: one message, answered by itself. */
export const makeMcpEndpoint = <R>(service: ServiceOptions<R>) => {
  const makeServer = makeMcpServer(service)
  return Effect.fnUntraced(function*({ request }: Call): Effect.fn.Return<Reply, Refused, R | CurrentPrincipal> {
    const form = negotiate(request.headers.get("accept"))
    if (form === undefined) return yield* notAcceptable()
    if (!isJson(request.headers.get("content-type"))) return yield* unsupportedMediaType()
    const body = yield* readBody(request, maxMessageBytes)
    if (body === undefined) return yield* payloadTooLarge()
    const incoming = readMessage(body)
    if (incoming._tag === "Bad") return json(400, incoming.error)
    const version = incoming._tag === "Request" && incoming.message.method === "initialize" ? undefined : versionFault(request)
    if (version !== undefined) {
      return json(400, jsonRpcError("message" in incoming ? incoming.message.id : null, rpcCode.invalidRequest, version))
    }
    if (incoming._tag === "Accepted") return empty(202)
    const { message } = incoming
    const fault = paramsFault(message)
    if (fault !== undefined) return inForm(form, jsonRpcError(message.id, rpcCode.invalidParams, fault))
    const context = yield* Effect.context<R | CurrentPrincipal>()
    return inForm(form, yield* exchange(makeServer(context, toolsetsOf(request)), message))
  })
}
