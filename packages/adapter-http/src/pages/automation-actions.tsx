import { type AutomationPaused, deleteAutomation, pauseAutomation, resumeAutomation, rotateWebhookToken, startRun } from "@coppice/core"
import { Effect, Result } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import type { Failure } from "../errors/failure.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { automationOf, showAutomation } from "./automation.tsx"
import { maxAutomationFormBytes } from "./automation-values.ts"
import { Confirm } from "./confirm.tsx"
import { defineForm, defineView } from "./define-page.ts"
import { inertLine } from "./inert-text.ts"
import type { NoticeText } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { runPath } from "./run-table.tsx"
import { tokenMark } from "./webhook-card.tsx"

/** Why something was not done, for the top of a page. */
export const refusalNotice = ({ hint, message }: Failure): NoticeText => ({
  kind: "fault",
  text: inertLine(hint === undefined ? message : `${message} ${hint}`)
})

const pause = Effect.fnUntraced(function*(call: FormCall) {
  const { id } = yield* pauseAutomation((yield* automationOf(call)).id)
  return seeOther(`/automations/${id}?notice=paused`)
})

const resume = Effect.fnUntraced(function*(call: FormCall) {
  const { id } = yield* resumeAutomation((yield* automationOf(call)).id)
  return seeOther(`/automations/${id}?notice=resumed`)
})

/** What was sent for a run: an object or an array, as of a webhook. */
const payloadIn = (text: string): Result.Result<unknown, string> => {
  if (text.trim() === "") return Result.succeed({})
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? Result.succeed(value) : Result.fail("Enter an object or an array.")
  } catch (error) {
    return Result.fail(`That is not JSON: ${inertLine((error as SyntaxError).message)}.`)
  }
}

const run = Effect.fnUntraced(function*(call: FormCall) {
  const { id } = yield* automationOf(call)
  const text = call.form.get("payload") ?? ""
  const payload = payloadIn(text)
  if (Result.isFailure(payload)) {
    return yield* showAutomation(call, { status: statusOf.INVALID_REQUEST, payload: text, fault: payload.failure })
  }
  return yield* startRun(id, payload.success).pipe(
    Effect.map((run) => seeOther(`${runPath(run)}?notice=started`)),
    Effect.catchTag(["AutomationPaused", "InvalidRequest"], (refused: AutomationPaused | Failure) =>
      showAutomation(call, { status: statusOf[refused.code], payload: text, notice: refusalNotice(refused) }))
  )
})

const outdated: NoticeText = {
  kind: "warn",
  text: "Nothing was done: the token has changed since that page was opened. If you did not see the new one, regenerate it below."
}

/** Only in the place of the token that the page showed, so that the same form sent again does not take away the new one. */
const generateToken = Effect.fnUntraced(function*(call: FormCall) {
  const automation = yield* automationOf(call)
  if (call.form.get("instead_of") !== tokenMark(automation)) {
    return yield* showAutomation(call, { status: statusOf.CONFLICT, notice: outdated })
  }
  const { token } = yield* rotateWebhookToken(automation.id)
  return yield* showAutomation(call, { made: { token, replaces: automation.webhookTokenAt !== undefined } })
})

const confirm = Effect.fnUntraced(function*(call: Call, refused?: Failure) {
  const { id, name } = yield* automationOf(call)
  const notice = refused === undefined ? undefined : refusalNotice(refused)
  const status = refused === undefined ? 200 : statusOf[refused.code]
  return yield* showPage(call, { title: "Delete automation?", narrow: true, notice, status }, (
    <Confirm action={`/automations/${id}/delete`} does="Delete" back={`/automations/${id}`}>
      <p><strong><bdi>{inertLine(name)}</bdi></strong> is deleted with its webhook token and the records of its runs. This cannot be undone.</p>
      <p>The workspaces that its runs left stay.</p>
    </Confirm>
  ))
})

const remove = Effect.fnUntraced(function*(call: FormCall) {
  const { id } = yield* automationOf(call)
  return yield* deleteAutomation(id).pipe(
    Effect.as(seeOther("/automations?notice=deleted")),
    Effect.catchTag("Conflict", (refused) => confirm(call, refused))
  )
})

/** The address of a form that may be answered in its own place: who asks for it again only looks. */
const back = Effect.fnUntraced(function*(call: Call) {
  return seeOther(`/automations/${(yield* automationOf(call)).id}`)
})

const home = "/automations/:automationId"
const security = "browser"

export const automationActionPages = [
  defineForm({ path: `${home}/pause`, security, summary: "Pauses an automation", handle: pause }),
  defineForm({ path: `${home}/resume`, security, summary: "Resumes an automation", handle: resume }),
  defineForm({ path: `${home}/run`, security, summary: "Starts a run by hand", maxFormBytes: maxAutomationFormBytes, handle: run }),
  defineView({ path: `${home}/run`, security, summary: "Back to the automation", handle: back }),
  defineForm({ path: `${home}/token`, security, summary: "Generates a webhook token, and shows it once", handle: generateToken }),
  defineView({ path: `${home}/token`, security, summary: "Back to the automation", handle: back }),
  defineView({ path: `${home}/delete`, security, summary: "Whether to delete an automation", handle: (call) => confirm(call) }),
  defineForm({ path: `${home}/delete`, security, summary: "Deletes an automation", handle: remove })
]
