import { foundFirst, hashSecret, type Organization, type SecretHash } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import { Refused } from "../errors/failure.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { defineForm, defineView, type PageEndpoint } from "./define-page.ts"
import { Field } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { emailFault, type Faults, hasFaults, line, nameFault, newPasswordFaults } from "./form-fields.ts"
import { NewPassword } from "./new-password.tsx"
import { showPage } from "./page.tsx"
import { enterAs } from "./sign-in-reply.ts"

/** The one link by which the first owner comes in, while there is nobody. */
export interface SetupLink {
  /** The hash of the secret (kind "setup") in `/setup?token=<secret>`, which the composition shows to its operator alone. */
  readonly hash: SecretHash
  /** Told of the organization once it is there. */
  readonly founded: (organization: Organization) => Effect.Effect<void>
}

const title = "Set up Coppice"

interface Values {
  readonly organization: string
  readonly name: string
  readonly email: string
}

interface SetupProps {
  readonly token: string
  readonly values?: Values
  readonly faults?: Faults
}

const Setup = ({ faults = {}, token, values }: SetupProps) => (
  <div class="card">
    <p>You will own the organization, and can invite others.</p>
    <Form action="/setup" visitor>
      <input type="hidden" name="token" value={token} />
      <Field name="name" label="Your name" autocomplete="name" required autofocus={!hasFaults(faults)} maxLength={100} value={values?.name} fault={faults["name"]} />
      <Field name="email" label="E-mail" type="email" autocomplete="username" required maxLength={254} value={values?.email} fault={faults["email"]} hint="You sign in with it. Nothing is sent there." />
      <NewPassword faults={faults} />
      <Field name="organization" label="Organization" autocomplete="organization" required maxLength={100} value={values?.organization ?? "Home"} fault={faults["organization"]} />
      <Button>Set up</Button>
    </Form>
  </div>
)

const over = () =>
  new Refused({
    code: "NOT_FOUND",
    message: "This set-up link does not work any more: it was used, or the server has started again since.",
    hint: "Sign in if there is an owner already. If not, open the link that the server printed when it started last."
  })

/** The link, if that is its secret and there is nobody yet. */
const check = Effect.fnUntraced(function*(link: SetupLink | undefined, token: string) {
  const open = link !== undefined && hashSecret("setup", token) === link.hash
  return open && (yield* (yield* OrganizationStore).organizations()).length === 0 ? link : yield* over()
})

const view = (link: SetupLink | undefined) =>
  Effect.fnUntraced(function*(call: Call) {
    const token = new URL(call.request.url).searchParams.get("token") ?? ""
    yield* check(link, token)
    return yield* showPage(call, { title, narrow: true }, <Setup token={token} />)
  })

const submit = (link: SetupLink | undefined) =>
  Effect.fnUntraced(function*(call: FormCall) {
    const { form } = call
    const token = form.get("token") ?? ""
    const { founded } = yield* check(link, token)
    const values = { organization: line(form, "organization"), name: line(form, "name"), email: line(form, "email") }
    const faults = {
      organization: nameFault(values.organization),
      name: nameFault(values.name),
      email: emailFault(values.email),
      ...newPasswordFaults(form)
    }
    if (hasFaults(faults)) {
      const status = statusOf.INVALID_REQUEST
      return yield* showPage(call, { title, narrow: true, status }, <Setup token={token} values={values} faults={faults} />)
    }
    const { organization, user } = yield* foundFirst({
      organizationName: values.organization,
      email: values.email,
      name: values.name,
      password: form.get("password") ?? ""
    }).pipe(Effect.catchTag("Conflict", () => Effect.fail(over())))
    yield* founded(organization)
    return yield* enterAs(call, user)
  })

export const setupPages = (link: SetupLink | undefined): ReadonlyArray<PageEndpoint> => [
  defineView({ path: "/setup", security: "visitor", summary: "The first owner's way in", handle: view(link) }),
  defineForm({ path: "/setup", security: "visitor", summary: "Makes the first owner and organization", handle: submit(link) })
]
