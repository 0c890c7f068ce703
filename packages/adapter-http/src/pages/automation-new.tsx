import { AutomationDefaults, createAutomation } from "@coppice/core"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { AddProject } from "./add-project.tsx"
import { automationChoices } from "./automation-choices.ts"
import { AutomationForm } from "./automation-form.tsx"
import { referenceFaults } from "./automation-references.ts"
import { automationFaults, type AutomationValues, maxAutomationFormBytes, settingsOf, valuesOf } from "./automation-values.ts"
import { defineForm, defineView } from "./define-page.ts"
import { type Faults, hasFaults } from "./form-fields.ts"
import { showPage } from "./page.tsx"

const title = "New automation"
const path = "/automations/new"

const show = Effect.fnUntraced(function*(call: Call, sent?: { readonly values: AutomationValues; readonly faults: Faults }) {
  const choices = yield* automationChoices()
  if (choices.projects.length === 0) return yield* showPage(call, { title }, <AddProject />)
  const { maxAttempts, timeoutSeconds } = yield* AutomationDefaults
  const values = sent?.values ?? {
    name: "",
    prompt: "",
    projectId: choices.projects[0]!.id,
    agent: choices.agents[0]?.value ?? "",
    workspaceMode: "fresh",
    workspaceId: "",
    timeout: String(timeoutSeconds / 60),
    timeoutUnit: "60",
    maxConcurrentRuns: "",
    maxAttempts: String(maxAttempts)
  }
  const status = sent === undefined ? 200 : statusOf.INVALID_REQUEST
  return yield* showPage(call, { title, status }, (
    <AutomationForm action={path} back="/automations" submit="Create automation" isNew values={values} faults={sent?.faults ?? {}} choices={choices} />
  ))
})

const submit = Effect.fnUntraced(function*(call: FormCall) {
  const values = valuesOf(call.form)
  const faults = { ...automationFaults(values), ...yield* referenceFaults(values) }
  if (hasFaults(faults)) return yield* show(call, { values, faults })
  const { maxConcurrentRuns, workspaceId, ...settings } = settingsOf(values)
  return yield* createAutomation({
    ...settings,
    projectId: values.projectId,
    ...maxConcurrentRuns === undefined ? {} : { maxConcurrentRuns },
    ...workspaceId === undefined ? {} : { workspaceId }
  }).pipe(
    Effect.map(({ id }) => seeOther(`/automations/${id}?notice=created`)),
    Effect.catchTag("Conflict", ({ message }) => show(call, { values, faults: { name: message } }))
  )
})

export const automationNewPages = [
  defineView({ path, security: "browser", summary: "The form for a new automation", handle: (call) => show(call) }),
  defineForm({ path, security: "browser", summary: "Creates an automation", maxFormBytes: maxAutomationFormBytes, handle: submit })
]
