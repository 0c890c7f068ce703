import { type Access, createApiKey, listProjects, now, type Project } from "@coppice/core"
import { DateTime, Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { Choices } from "./choice.tsx"
import { defineForm, defineView } from "./define-page.ts"
import { Field, Select } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { type Faults, hasFaults, line, nameFault } from "./form-fields.ts"
import { showPage } from "./page.tsx"
import { ShownOnce } from "./shown-once.tsx"

const path = "/settings/keys/new"

/** How many days a key may last, as the form says it; nothing is for ever. */
const lifetimes = [
  { value: "30", text: "30 days" },
  { value: "90", text: "90 days" },
  { value: "365", text: "A year" },
  { value: "never", text: "Never expires" }
] as const

/** The form as it is filled in: at first with the least that a key can be given. */
interface Draft {
  readonly name: string
  readonly lifetime: string
  readonly access: string
  readonly reach: string
  readonly projectIds: ReadonlyArray<string>
}

const least: Draft = { name: "", lifetime: "90", access: "read", reach: "all", projectIds: [] }

const draftOf = (form: URLSearchParams): Draft => ({
  name: line(form, "name"),
  lifetime: form.get("lifetime") ?? "",
  access: form.get("access") ?? "",
  reach: form.get("reach") ?? "",
  projectIds: form.getAll("projectIds")
})

const isAccess = (access: string): access is Access => access === "read" || access === "full"

const faultsOf = ({ access, lifetime, name, projectIds, reach }: Draft): Faults => ({
  name: nameFault(name),
  lifetime: lifetimes.some(({ value }) => value === lifetime) ? undefined : "Choose how long the key lasts.",
  access: isAccess(access) ? undefined : "Choose what the key may do.",
  reach: reach === "all" || reach === "some" ? undefined : "Choose what the key opens.",
  projectIds: reach === "some" && projectIds.length === 0 ? "Choose at least one project." : undefined
})

interface ReachProps {
  readonly draft: Draft
  readonly faults: Faults
  readonly projects: ReadonlyArray<Project>
}

/** The list of projects shows once one chooses "some"; a browser that cannot do that shows it from the beginning. */
const Reach = ({ draft: { projectIds, reach }, faults, projects }: ReachProps) => (
  <Choices
    name="reach"
    legend="Projects"
    type="radio"
    class="reach"
    fault={faults["reach"]}
    options={[
      { value: "all", text: "All projects", hint: "Also those that are added later.", chosen: reach === "all" },
      { value: "some", text: "Only some projects", chosen: reach === "some" }
    ]}
  >
    <Choices
      name="projectIds"
      legend="Which ones"
      type="checkbox"
      class="some"
      fault={faults["projectIds"]}
      options={projects.map(({ id, name }) => ({ value: id, text: name, chosen: projectIds.includes(id) }))}
    />
  </Choices>
)

const NewKey = ({ draft, faults, projects }: ReachProps) => (
  <div class="card">
    <Form action={path} class="short">
      <Field name="name" label="Name" required autofocus={!hasFaults(faults)} autocomplete="off" maxLength={100} value={draft.name} hint="What it is for, as “CI” or “Laptop”." fault={faults["name"]} />
      <Choices
        name="access"
        legend="Access"
        type="radio"
        fault={faults["access"]}
        options={[
          { value: "read", text: "Read only", hint: "Looks at projects, tasks, runs and the rest.", chosen: draft.access === "read" },
          { value: "full", text: "Full", hint: "Does all that you may do, such as to start agents.", chosen: draft.access === "full" }
        ]}
      />
      {projects.length === 0 ? <input type="hidden" name="reach" value="all" /> : <Reach draft={draft} faults={faults} projects={projects} />}
      <Select name="lifetime" label="Expires after" options={lifetimes} value={draft.lifetime} />
      {faults["lifetime"] !== undefined && <p class="fault">{faults["lifetime"]}</p>}
      <div class="row">
        <Button>Create key</Button>
        <a class="button plain" href="/settings/keys">Cancel</a>
      </div>
    </Form>
  </div>
)

const show = Effect.fnUntraced(function*(call: Call, draft: Draft, faults: Faults = {}) {
  const { items } = yield* listProjects({ limit: 100 })
  const status = hasFaults(faults) ? statusOf.INVALID_REQUEST : 200
  return yield* showPage(call, { title: "New key", status }, <NewKey draft={draft} faults={faults} projects={items} />)
})

const Created = ({ base, secret }: { readonly base: string; readonly secret: string }) => (
  <div class="card">
    <ShownOnce name="key" label="Your key" value={secret} hint="Copy it now: it is shown this once, and cannot be looked up later." />
    <h2>How to use it</h2>
    <p>Have the program connect to the MCP server at <code>{base}/mcp</code>, and send with each request:</p>
    <pre tabIndex={0}>Authorization: Bearer YOUR_KEY</pre>
    <p>Who has the key can do what it can. Keep it where you keep passwords, and out of source code.</p>
    <p><a class="button" href="/settings/keys">I have it: go on</a></p>
  </div>
)

const submit = Effect.fnUntraced(function*(call: FormCall) {
  const draft = draftOf(call.form)
  const faults = faultsOf(draft)
  if (hasFaults(faults) || !isAccess(draft.access)) return yield* show(call, draft, faults)
  const { key, secret } = yield* createApiKey({
    name: draft.name,
    access: draft.access,
    ...draft.reach === "some" && { projectIds: draft.projectIds },
    ...draft.lifetime !== "never" && { expiresAt: DateTime.add(yield* now, { days: Number(draft.lifetime) }) }
  })
  return yield* showPage(call, { title: `Key “${key.name}”`, notice: { kind: "done", text: "The key is made." } }, (
    <Created base={call.base} secret={secret} />
  ))
})

export const newKeyPages = [
  defineView({ path, security: "browser", summary: "A form for a new key", handle: (call) => show(call, least) }),
  defineForm({ path, security: "browser", summary: "Makes a key, and shows it once", handle: submit })
]
