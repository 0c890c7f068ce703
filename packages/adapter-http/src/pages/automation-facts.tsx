import { type Automation, getProject, getWorkspace, type Project, type Workspace } from "@coppice/core"
import { Effect } from "effect"
import { AutomationStatusTag } from "./automations.tsx"
import { TextArea } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { Inert, Passage } from "./inert.tsx"
import { durationWords } from "./run-words.ts"

/** The records that an automation refers to, as far as they are there. */
export const referredTo = Effect.fnUntraced(function*({ projectId, workspaceId }: Pick<Automation, "projectId" | "workspaceId">) {
  const absent = Effect.undefined
  const workspace = workspaceId === undefined ? absent : Effect.catchTag(getWorkspace(workspaceId), "NotFound", () => absent)
  return { project: yield* Effect.catchTag(getProject(projectId), "NotFound", () => absent), workspace: yield* workspace }
})

const Actions = ({ automation: { id, status } }: { readonly automation: Automation }) => {
  const home = `/automations/${id}`
  return (
    <div class="row">
      {status === "active" && <Form action={`${home}/run`}><Button>Run now</Button></Form>}
      {status === "active"
        ? <Form action={`${home}/pause`}><Button kind="plain">Pause</Button></Form>
        : <Form action={`${home}/resume`}><Button>Resume</Button></Form>}
      <a class="button plain" href={`${home}/edit`}>Edit</a>
      <a class="button plain risky" href={`${home}/delete`}>Delete</a>
    </div>
  )
}

interface PayloadFormProps {
  readonly automation: Automation
  readonly payload?: string | undefined
  readonly fault?: string | undefined
}

const PayloadForm = ({ automation: { id }, fault, payload = "{}" }: PayloadFormProps) => (
  <details class="more" open={fault !== undefined}>
    <summary>Run with JSON</summary>
    <Form action={`/automations/${id}/run`}>
      <TextArea name="payload" label="JSON" rows={5} code value={payload} fault={fault} hint="An object or an array: what a webhook would bring." />
      <Button kind="plain">Run with this</Button>
    </Form>
  </details>
)

interface FactsProps extends PayloadFormProps {
  readonly project: Project | undefined
  readonly workspace: Workspace | undefined
}

const sharing = ({ workspaceMode }: Automation, workspace: Workspace | undefined) =>
  workspaceMode === "fresh"
    ? "A fresh one for each run"
    : workspace === undefined
    ? "One that all runs share, made by the first"
    : <>All runs share <Inert text={workspace.name} />, on the branch <Inert text={workspace.branch} /></>

/** What an automation is, and what can be done with it. */
export const AutomationFacts = (props: FactsProps) => {
  const { automation, project, workspace } = props
  return (
    <section class="card">
      <dl class="facts dense">
        <dt>State</dt>
        <dd><AutomationStatusTag automation={automation} /></dd>
        <dt>Project</dt><dd><Inert text={project?.name ?? "–"} /></dd>
        <dt>Agent</dt><dd><Inert text={automation.agent} /></dd>
        <dt>Workspace</dt><dd>{sharing(automation, workspace)}</dd>
        <dt>Time-out</dt><dd>{durationWords(automation.timeoutSeconds)}</dd>
        <dt>Runs at once</dt><dd>{automation.workspaceMode === "reuse" ? "One" : automation.maxConcurrentRuns ?? "As many as its host takes"}</dd>
        <dt>Attempts</dt><dd>{automation.maxAttempts}</dd>
      </dl>
      {automation.status === "paused" && <p class="soft">While it is paused, webhooks are refused and nothing new starts.</p>}
      <p class="label">Prompt</p>
      <Passage label="Prompt" text={automation.prompt} />
      <Actions automation={automation} />
      {automation.status === "active" && <PayloadForm {...props} />}
    </section>
  )
}
