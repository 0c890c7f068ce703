import { type IdentityProvider, joinAsNewUser, joinAsUser, openInvitation, type OpenInvitation, usePasswordLink, type User } from "@coppice/core"
import { BrowserSessionStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import { CurrentVisit } from "../pipeline/browser.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { loginPath } from "../pipeline/return-path.ts"
import { seeOther } from "../reply.ts"
import { defineForm, defineView } from "./define-page.ts"
import { Field } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { type Faults, hasFaults, line, nameFault, newPasswordFaults } from "./form-fields.ts"
import { NewPassword } from "./new-password.tsx"
import { showPage } from "./page.tsx"
import { ProviderLinks } from "./provider-links.tsx"
import { enterAs } from "./sign-in-reply.ts"

interface JoinProps {
  readonly open: OpenInvitation
  readonly token: string
  readonly signedIn: User | undefined
  readonly providers: ReadonlyArray<IdentityProvider>
  readonly name?: string
  readonly faults?: Faults
}

/** What password managers keep the new password under. */
const Username = ({ email }: { readonly email: string }) => (
  <Field name="username" label="E-mail" type="email" autocomplete="username" value={email} readonly />
)

const NewUser = ({ faults = {}, name, open }: JoinProps) => (
  <>
    <p>You are invited to join <strong>{open.organization.name}</strong> as {open.invitation.role}.</p>
    <Username email={open.invitation.email} />
    <Field name="name" label="Your name" autocomplete="name" required autofocus={!hasFaults(faults)} maxLength={100} value={name} fault={faults["name"]} />
    <NewPassword faults={faults} />
    <Button>Join</Button>
  </>
)

const Password = ({ faults = {}, open }: JoinProps) => (
  <>
    <p>Choose the password that you will sign in with. You will be signed out everywhere else.</p>
    <Username email={open.invitation.email} />
    <NewPassword faults={faults} />
    <Button>Set password</Button>
  </>
)

const Member = ({ open, signedIn, token }: JoinProps) => {
  const invited = <p>{open.invitation.email} is invited to join <strong>{open.organization.name}</strong> as {open.invitation.role}.</p>
  if (signedIn?.id === open.user?.id) return <>{invited}<Button>Join</Button></>
  if (signedIn !== undefined) return <>{invited}<p>You are signed in as {signedIn.email}. Sign out, then open the link again.</p></>
  return <>{invited}<p><a class="button" href={loginPath(`/join?token=${token}`)}>Sign in to join</a></p></>
}

const parts = { "new-user": NewUser, password: Password, join: Member } as const

const Join = (props: JoinProps) => {
  const Part = parts[props.open.purpose]
  return (
    <div class="card">
      <Form action="/join" visitor>
        <input type="hidden" name="token" value={props.token} />
        <Part {...props} />
      </Form>
      {props.open.purpose === "new-user" && <ProviderLinks providers={props.providers} back={`/join?token=${props.token}`} />}
    </div>
  )
}

const titleOf = ({ organization, purpose }: OpenInvitation): string =>
  purpose === "password" ? "Set your password" : `Join ${organization.name}`

const view = (providers: JoinProps["providers"]) =>
  Effect.fnUntraced(function*(call: Call) {
    const token = new URL(call.request.url).searchParams.get("token") ?? ""
    const open = yield* openInvitation(token)
    const signedIn = (yield* CurrentVisit).signedIn?.user
    const join = <Join open={open} token={token} signedIn={signedIn} providers={providers} />
    return yield* showPage(call, { title: titleOf(open), narrow: true }, join)
  })

const faultsOf = (open: OpenInvitation, form: URLSearchParams): Faults => ({
  ...open.purpose === "new-user" && { name: nameFault(line(form, "name")) },
  ...open.purpose !== "join" && newPasswordFaults(form)
})

const submit = (providers: JoinProps["providers"]) =>
  Effect.fnUntraced(function*(call: FormCall) {
    const { form } = call
    const token = form.get("token") ?? ""
    const open = yield* openInvitation(token)
    const signedIn = (yield* CurrentVisit).signedIn?.user
    const faults = faultsOf(open, form)
    const name = line(form, "name")
    if (hasFaults(faults)) {
      const options = { title: titleOf(open), narrow: true, status: statusOf.INVALID_REQUEST }
      const join = <Join open={open} token={token} signedIn={signedIn} providers={providers} name={name} faults={faults} />
      return yield* showPage(call, options, join)
    }
    const password = form.get("password") ?? ""
    if (open.purpose === "new-user") return yield* enterAs(call, yield* joinAsNewUser(open, { name, password }))
    if (open.purpose === "password") {
      const user = yield* usePasswordLink(open, password)
      yield* (yield* BrowserSessionStore).endAll(user.id)
      return yield* enterAs(call, user)
    }
    if (signedIn === undefined) return seeOther(loginPath(`/join?token=${token}`))
    yield* joinAsUser(open, signedIn)
    return seeOther("/")
  })

export const joinPages = (providers: JoinProps["providers"]) => [
  defineView({ path: "/join", security: "visitor", summary: "What an invitation's link opens", handle: view(providers) }),
  defineForm({ path: "/join", security: "visitor", summary: "Accepts an invitation, or sets a password by a link", handle: submit(providers) })
]
