import {
  createServiceClient,
  CurrentPrincipal,
  Forbidden,
  getServiceClient,
  type OAuthClient,
  removeServiceClient,
  rotateServiceClientSecret
} from "@coppice/core"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import { oauthPaths } from "../oauth/oauth-paths.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { Confirm } from "./confirm.tsx"
import { defineForm, defineView } from "./define-page.ts"
import { Field } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { type Faults, hasFaults, line, nameFault } from "./form-fields.ts"
import { showPage } from "./page.tsx"
import { ShownOnce } from "./shown-once.tsx"
import { Time } from "./time.tsx"

const members = "/settings/members"
const newPath = `${members}/service-clients/new`
const path = `${members}/service-clients/:clientId`
const pathOf = ({ id }: OAuthClient): string => `${members}/service-clients/${id}`

/** The name that an admin gave it. */
const nameOf = ({ id, name }: OAuthClient): string => name ?? id

const onlyAdmins = new Forbidden({ message: "Only an admin may see or change service clients." })

const clientOf = ({ params }: Call) => getServiceClient(params["clientId"] ?? "")

const showNew = Effect.fnUntraced(function*(call: Call, name: string, faults: Faults = {}) {
  if ((yield* CurrentPrincipal).role === "member") return yield* onlyAdmins
  const status = hasFaults(faults) ? statusOf.INVALID_REQUEST : 200
  return yield* showPage(call, { title: "New service client", status }, (
    <div class="card">
      <p>For a program that acts for nobody but itself. It gets a member of its own, with the rights of a member, who cannot sign in.</p>
      <Form action={newPath} class="short">
        <Field name="name" label="Name" required autofocus={!hasFaults(faults)} autocomplete="off" maxLength={100} value={name} hint="What the program is called in lists and in the audit log." fault={faults["name"]} />
        <div class="row">
          <Button>Create</Button>
          <a class="button plain" href={members}>Cancel</a>
        </div>
      </Form>
    </div>
  ))
})

/** How to get a token. curl asks for the secret itself, so that it ends up in no history of commands. */
const Usage = ({ base, client: { id } }: { readonly base: string; readonly client: OAuthClient }) => (
  <>
    <h2>How to use it</h2>
    <p>Have the program get a token, which lasts an hour, by its client id and secret (OAuth 2.1, <code>client_credentials</code>):</p>
    <pre tabIndex={0}>{`curl -u ${id} -d grant_type=client_credentials \\\n  ${base}${oauthPaths.token}`}</pre>
    <p>curl asks for the secret. The program sends the <code>access_token</code> that it gets as <code>Authorization: Bearer …</code> to <code>{base}/mcp</code>.</p>
  </>
)

const showSecret = (call: Call, done: string, { client, secret }: { readonly client: OAuthClient; readonly secret: string }) =>
  showPage(call, { title: `Service client “${nameOf(client)}”`, notice: { kind: "done", text: done } }, (
    <div class="card">
      <ShownOnce name="client_id" label="Client id" value={client.id} />
      <ShownOnce name="client_secret" label="Client secret" value={secret} hint="Copy it now: it is shown this once, and cannot be looked up later." />
      <Usage base={call.base} client={client} />
      <p><a class="button" href={members}>I have it: go on</a></p>
    </div>
  ))

const create = Effect.fnUntraced(function*(call: FormCall) {
  const name = line(call.form, "name")
  const faults = { name: nameFault(name) }
  if (hasFaults(faults)) return yield* showNew(call, name, faults)
  return yield* showSecret(call, "The service client is made.", yield* createServiceClient({ name }))
})

const view = Effect.fnUntraced(function*(call: Call) {
  const client = yield* clientOf(call)
  return yield* showPage(call, { title: nameOf(client) }, (
    <>
      <section class="card">
        <dl class="facts">
          <dt>Client id</dt><dd><code>{client.id}</code></dd>
          <dt>Created</dt><dd><Time at={client.createdAt} /></dd>
        </dl>
        <Usage base={call.base} client={client} />
      </section>
      <section class="card">
        <h2>Secret or client</h2>
        <div class="row">
          <a class="button plain" href={`${pathOf(client)}/rotate`}>New secret</a>
          <a class="button danger" href={`${pathOf(client)}/remove`}>Remove</a>
        </div>
      </section>
      <p><a href={members}>All members</a></p>
    </>
  ))
})

const confirmRotate = Effect.fnUntraced(function*(call: Call) {
  const client = yield* clientOf(call)
  return yield* showPage(call, { title: "Make a new secret?", narrow: true }, (
    <Confirm action={`${pathOf(client)}/rotate`} does="Make a new secret" back={pathOf(client)}>
      <p>The present secret of <strong>{nameOf(client)}</strong> gets no tokens any more. Tokens that it got last for the rest of their hour.</p>
      <p>This cannot be undone.</p>
    </Confirm>
  ))
})

const rotate = Effect.fnUntraced(function*(call: FormCall) {
  const rotated = yield* rotateServiceClientSecret(call.params["clientId"] ?? "")
  return yield* showSecret(call, "The service client has a new secret.", rotated)
})

const confirmRemove = Effect.fnUntraced(function*(call: Call) {
  const client = yield* clientOf(call)
  return yield* showPage(call, { title: "Remove this service client?", narrow: true }, (
    <Confirm action={`${pathOf(client)}/remove`} does={`Remove ${nameOf(client)}`} back={pathOf(client)}>
      <p><strong>{nameOf(client)}</strong> stops working at once: its secret, its tokens and its member end.</p>
      <p>This cannot be undone.</p>
    </Confirm>
  ))
})

const remove = Effect.fnUntraced(function*({ params }: FormCall) {
  yield* removeServiceClient(params["clientId"] ?? "")
  return seeOther(`${members}?notice=service-client-removed`)
})

export const serviceClientPages = [
  defineView({ path: newPath, security: "browser", summary: "A form for a service client", handle: (call) => showNew(call, "") }),
  defineForm({ path: newPath, security: "browser", summary: "Makes a service client, and shows its secret once", handle: create }),
  defineView({ path, security: "browser", summary: "One service client", handle: view }),
  defineView({ path: `${path}/rotate`, security: "browser", summary: "Asks before a secret is replaced", handle: confirmRotate }),
  defineForm({ path: `${path}/rotate`, security: "browser", summary: "Replaces a secret, and shows the new one once", handle: rotate }),
  defineView({ path: `${path}/remove`, security: "browser", summary: "Asks before a service client is removed", handle: confirmRemove }),
  defineForm({ path: `${path}/remove`, security: "browser", summary: "Removes a service client", handle: remove })
]
