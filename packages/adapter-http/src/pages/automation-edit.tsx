import { getAutomation, getProject, updateAutomation } from "@coppice/core"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { automationChoices } from "./automation-choices.ts"
import { AutomationForm } from "./automation-form.tsx"
import { referenceFaults } from "./automation-references.ts"
import { automationFaults, type AutomationValues, maxAutomationFormBytes, settingsOf, valuesOf, valuesOfAutomation } from "./automation-values.ts"
import { defineForm, defineView } from "./define-page.ts"
import { type Faults, hasFaults } from "./form-fields.ts"
import { showPage } from "./page.tsx"

const path = "/automations/:automationId/edit"

const show = Effect.fnUntraced(function*(call: Call, sent?: { readonly values: AutomationValues; readonly faults: Faults }) {
  const automation = yield* getAutomation(call.params["automationId"] ?? "")
  const choices = yield* automationChoices(yield* getProject(automation.projectId))
  const status = sent === undefined ? 200 : statusOf.INVALID_REQUEST
  const home = `/automations/${automation.id}`
  return yield* showPage(call, { title: "Edit automation", status }, (
    <AutomationForm
      action={`${home}/edit`}
      back={home}
      submit="Save"
      isNew={false}
      values={sent?.values ?? valuesOfAutomation(automation)}
      faults={sent?.faults ?? {}}
      choices={choices}
    />
  ))
})

const submit = Effect.fnUntraced(function*(call: FormCall) {
  const automation = yield* getAutomation(call.params["automationId"] ?? "")
  const values = { ...valuesOf(call.form), projectId: automation.projectId }
  const faults = { ...automationFaults(values), ...yield* referenceFaults(values, automation.agent) }
  if (hasFaults(faults)) return yield* show(call, { values, faults })
  const { agent, maxConcurrentRuns = null, workspaceId = null, ...settings } = settingsOf(values)
  const patch = { ...settings, maxConcurrentRuns, workspaceId, ...agent === automation.agent ? {} : { agent } }
  return yield* updateAutomation(automation.id, patch).pipe(
    Effect.as(seeOther(`/automations/${automation.id}?notice=changed`)),
    Effect.catchTag("Conflict", ({ message }) => show(call, { values, faults: { name: message } }))
  )
})

export const automationEditPages = [
  defineView({ path, security: "browser", summary: "The form for changing an automation", handle: (call) => show(call) }),
  defineForm({ path, security: "browser", summary: "Changes an automation", maxFormBytes: maxAutomationFormBytes, handle: submit })
]
