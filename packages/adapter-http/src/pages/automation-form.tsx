import type { AutomationChoices } from "./automation-choices.ts"
import { type AutomationValues, timeoutUnits } from "./automation-values.ts"
import { Field, type Option, Select, TextArea } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { type Faults, hasFaults } from "./form-fields.ts"
import { Inert } from "./inert.tsx"
import { inertLine } from "./inert-text.ts"
import { Notice } from "./notice.tsx"

interface FormProps {
  readonly action: string
  readonly back: string
  readonly submit: string
  readonly isNew: boolean
  readonly values: AutomationValues
  readonly faults: Faults
  readonly choices: AutomationChoices
}

/** A choice that is kept even where it could not be made any more. */
const withPresent = (options: ReadonlyArray<Option>, value: string, text = inertLine(value)): ReadonlyArray<Option> =>
  value === "" || options.some((option) => option.value === value) ? options : [...options, { value, text }]

const ProjectField = ({ choices: { projects }, faults, isNew, values }: FormProps) =>
  isNew
    ? (
      <Select
        name="projectId"
        label="Project"
        value={values.projectId}
        fault={faults["projectId"]}
        options={projects.map(({ id, name }) => ({ value: id, text: inertLine(name) }))}
      />
    )
    : <div class="field"><p class="label">Project</p><p><Inert text={projects[0]?.name ?? "–"} /></p></div>

const AgentField = ({ choices: { agents, unusable }, faults, isNew, values }: FormProps) => {
  const options = isNew ? agents : withPresent(agents, values.agent)
  const others = unusable.length === 0 ? undefined : `Not available now. ${unusable.join(" ")}`
  return options.length === 0
    ? (
      <Notice kind="warn">
        No coding agent can be used. {others ?? <>Configure one under <code>agents</code> in the server's config file, and start it again.</>}
      </Notice>
    )
    : <Select name="agent" label="Agent" value={values.agent} fault={faults["agent"]} options={options} hint={others} />
}

const workspaceOptions = ({ choices: { projects, workspaces }, values }: FormProps): ReadonlyArray<Option> => {
  const nameOf = (projectId: string) => projects.find(({ id }) => id === projectId)?.name ?? ""
  const several = projects.length > 1
  return withPresent([
    { value: "", text: "A new one, made by the first run" },
    ...workspaces.map(({ id, name, projectId }) => ({ value: id, text: inertLine(several ? `${nameOf(projectId)} / ${name}` : name) }))
  ], values.workspaceId, "The one that it has now")
}

const WorkspaceFields = (props: FormProps) => {
  const { faults, values: { workspaceId, workspaceMode } } = props
  return (
    <fieldset class="modes">
      <legend>Workspace</legend>
      <label class="choice">
        <input type="radio" name="workspaceMode" value="fresh" checked={workspaceMode !== "reuse"} />
        <span>A fresh one for each run. <span class="soft">Runs do not see one another, and can go on side by side.</span></span>
      </label>
      <label class="choice">
        <input type="radio" name="workspaceMode" value="reuse" checked={workspaceMode === "reuse"} />
        <span>One that all runs share. <span class="soft">Each goes on where the one before ended, one run at a time.</span></span>
      </label>
      {faults["workspaceMode"] !== undefined && <p class="fault">{faults["workspaceMode"]}</p>}
      <div class="shared">
        <Select name="workspaceId" label="Which one" value={workspaceId} options={workspaceOptions(props)} fault={faults["workspaceId"]} />
      </div>
    </fieldset>
  )
}

const Limits = ({ faults, values }: FormProps) => (
  <div class="fields">
    <div class="pair">
      <Field name="timeout" label="Time-out" type="number" required value={values.timeout} fault={faults["timeout"]} hint="After that the agent is ended." />
      <Select name="timeoutUnit" label="Unit" value={values.timeoutUnit} options={timeoutUnits} />
    </div>
    <Field name="maxConcurrentRuns" label="Runs at once" type="number" value={values.maxConcurrentRuns} fault={faults["maxConcurrentRuns"]} hint="Empty: as many as its host takes." />
    <Field name="maxAttempts" label="Attempts" type="number" required value={values.maxAttempts} fault={faults["maxAttempts"]} hint="When its host is lost during a run." />
  </div>
)

/** The form for a new automation, and for one that is to be changed. */
export const AutomationForm = (props: FormProps) => {
  const { action, back, faults, submit, values } = props
  return (
    <div class="card">
      {hasFaults(faults) && <Notice kind="fault">Something is not right yet. Look at what is marked below.</Notice>}
      <Form action={action}>
        <Field name="name" label="Name" required maxLength={100} autocomplete="off" value={values.name} fault={faults["name"]} />
        <TextArea
          name="prompt"
          label="Prompt"
          required
          rows={8}
          value={values.prompt}
          fault={faults["prompt"]}
          hint="What the agent is told. The JSON that a webhook brings follows it, marked as data from outside."
        />
        <div class="fields">
          <ProjectField {...props} />
          <AgentField {...props} />
        </div>
        <WorkspaceFields {...props} />
        <Limits {...props} />
        <div class="row">
          <Button>{submit}</Button>
          <a class="button plain" href={back}>Cancel</a>
        </div>
      </Form>
    </div>
  )
}
