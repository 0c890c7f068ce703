import { Data, Effect, Result, Schema } from "effect"
import { hashSecret } from "../credential/secret.ts"
import type { ErrorCode } from "../error-code.ts"
import { AutomationId, newId, RunId } from "../id.ts"
import { type Usage, webhookLimit } from "../rate-limit/rate-limit.ts"
import { now } from "../timestamp.ts"
import { type Delivery, type Verdict, WebhookInbox } from "./webhook-inbox.ts"
import {
  judgePayload,
  maxPayloadBytes,
  type PayloadFault,
  type PayloadHeaders,
  payloadTooLarge
} from "./webhook-payload.ts"
import { WebhookRefusalStore } from "./webhook-refusal-store.ts"

/** A delivery that started no run, and why. `usage` is there when it was counted. */
export class WebhookRefused extends Data.TaggedError("WebhookRefused")<{
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string | undefined
  readonly usage?: Usage | undefined
}> {}

/** A webhook request whose body is still to be read. */
export interface WebhookRequest<E, R> {
  /** As the address names it; it may be no id at all. */
  readonly automationId: string
  /** What was presented as the token, if anything was. */
  readonly token: string | undefined
  readonly headers: PayloadHeaders
  /** Reads the body, and stops with `undefined` as soon as it is over `maxPayloadBytes`. Runs once at the most. */
  readonly read: Effect.Effect<Uint8Array | undefined, E, R>
}

/** The run that a delivery started, and how its automation stands against the limit. */
export interface WebhookAccepted {
  readonly runId: RunId
  readonly usage: Usage | undefined
}

type Payload = Result.Result<Uint8Array, PayloadFault>

/** Up to this size a body is read before anything is asked of the inbox, so that one step can judge and store it. */
const tentativeBytes = 64 * 1024

const isAutomationId = Schema.is(AutomationId)

const unauthorized = () =>
  new WebhookRefused({
    code: "UNAUTHORIZED",
    message: "The webhook token is missing or wrong.",
    hint: "Send the automation's current token as Authorization: Bearer <token>."
  })

const rateLimited = (usage: Usage | undefined) =>
  new WebhookRefused({
    code: "RATE_LIMITED",
    message: `More than ${webhookLimit.max} requests in ${webhookLimit.windowSeconds} seconds.`,
    hint: "Wait for as many seconds as Retry-After says.",
    usage
  })

const paused = (usage: Usage | undefined) =>
  new WebhookRefused({
    code: "AUTOMATION_PAUSED",
    message: "The automation is paused.",
    hint: "Resume it, then send this again.",
    usage
  })

/** What is refused, in the order of the checks: token, rate, then size, media type and JSON, then state. */
const refusal = (verdict: Verdict, payload: Payload | undefined): WebhookRefused | undefined => {
  if (verdict._tag === "Unauthorized") return unauthorized()
  if (verdict._tag === "RateLimited") return rateLimited(verdict.usage)
  if (payload !== undefined && Result.isFailure(payload)) {
    return new WebhookRefused({ ...payload.failure, usage: verdict.usage })
  }
  if (payload !== undefined && verdict._tag === "Paused") return paused(verdict.usage)
}

const readPayload = <E, R>({ headers, read }: WebhookRequest<E, R>): Effect.Effect<Payload, E, R> =>
  headers.declaredBytes !== undefined && headers.declaredBytes > maxPayloadBytes
    ? Effect.succeed(Result.fail(payloadTooLarge))
    : Effect.map(read, (bytes) => bytes === undefined ? Result.fail(payloadTooLarge) : judgePayload(headers, bytes))

/** Has the inbox judge the delivery, and store the run if the payload is one. */
const deliver = Effect.fnUntraced(function*(delivery: Delivery, payload: Payload) {
  const inbox = yield* WebhookInbox
  const runId = yield* newId(RunId)
  const verdict = yield* inbox.receive(
    Result.isFailure(payload)
      ? delivery
      : { ...delivery, run: { id: runId, payload: payload.success, receivedAt: yield* now } }
  )
  const refused = refusal(verdict, payload)
  if (refused !== undefined) return yield* refused
  if (verdict._tag !== "Accepted") return yield* Effect.die(new Error(`The inbox answered a run with ${verdict._tag}`))
  return { runId, usage: verdict.usage } satisfies WebhookAccepted
})

/** Has the people of the automation see why it was refused. What had no good token is nobody's, and writes nothing. */
const noteRefusal = Effect.fnUntraced(function*(automationId: AutomationId, { code, message }: WebhookRefused) {
  if (code === "UNAUTHORIZED") return
  yield* (yield* WebhookRefusalStore).note({ automationId, code, message }, yield* now)
})

const isRefused = (failure: unknown): failure is WebhookRefused => failure instanceof WebhookRefused

const judge = Effect.fnUntraced(function*<E, R>(request: WebhookRequest<E, R>, delivery: Delivery) {
  const { headers: { declaredBytes } } = request
  if (declaredBytes !== undefined && declaredBytes <= tentativeBytes) {
    return yield* deliver({ ...delivery, limit: webhookLimit }, yield* readPayload(request))
  }
  const inbox = yield* WebhookInbox
  const admitted = yield* inbox.receive({ ...delivery, limit: webhookLimit })
  const unread = refusal(admitted, undefined)
  if (unread !== undefined) return yield* unread
  const payload = yield* readPayload(request)
  const refused = refusal(admitted, payload)
  if (refused !== undefined) return yield* refused
  const accepted = yield* deliver(delivery, payload)
  return { ...accepted, usage: "usage" in admitted ? admitted.usage : undefined } satisfies WebhookAccepted
})

/**
 * Turns a webhook request into a run, and answers only once that run is durable. A small body is read ahead, so that
 * one step of the inbox does everything; a large one, or one of unknown size, only once token and rate were judged.
 */
export const receiveWebhook = Effect.fnUntraced(function*<E, R>(request: WebhookRequest<E, R>) {
  const { automationId, token } = request
  const tokenHash = token === undefined ? undefined : hashSecret("webhookToken", token)
  if (tokenHash === undefined || !isAutomationId(automationId)) return yield* unauthorized()
  return yield* judge(request, { automationId, tokenHash }).pipe(
    Effect.tapError((failure) => isRefused(failure) ? noteRefusal(automationId, failure) : Effect.void)
  )
})
