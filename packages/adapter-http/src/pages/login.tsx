import { type IdentityProvider, signIn } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import { CurrentVisit } from "../pipeline/browser.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { againNotice, safeReturn } from "../pipeline/return-path.ts"
import { seeOther } from "../reply.ts"
import { defineForm, defineView } from "./define-page.ts"
import { Field } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { Notice, noticeOf } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { ProviderLinks } from "./provider-links.tsx"
import { enter, signingBrowser } from "./sign-in-reply.ts"

interface LoginProps {
  readonly back: string | undefined
  readonly email?: string
  readonly fault?: string
  readonly nobodyYet?: boolean
  readonly providers: ReadonlyArray<IdentityProvider>
}

const Login = ({ back, email, fault, nobodyYet = false, providers }: LoginProps) => (
  <>
    {nobodyYet && (
      <Notice kind="warn">
        There is no user yet. Open the set-up link that the server printed when it started, or create one on its machine
        with <code>npm run coppice -- users create</code>.
      </Notice>
    )}
    <div class="card">
      <Form action="/login" visitor>
        {back !== undefined && <input type="hidden" name="return" value={back} />}
        <Field name="email" label="E-mail" type="email" autocomplete="username" required autofocus={email === undefined} value={email} maxLength={254} />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required autofocus={email !== undefined} fault={fault} />
        <Button>Sign in</Button>
      </Form>
      <ProviderLinks providers={providers} back={back} />
    </div>
  </>
)

const notices = {
  [againNotice]: "The program that wants access asks you to sign in again.",
  "signed-out": "You are signed out.",
  "signed-out-everywhere": "You are signed out in all browsers."
}

const title = "Sign in"

const view = (providers: LoginProps["providers"]) =>
  Effect.fnUntraced(function*(call: Call) {
    const { searchParams } = new URL(call.request.url)
    const back = safeReturn(searchParams.get("return"))
    if ((yield* CurrentVisit).signedIn !== undefined && searchParams.get("notice") !== againNotice) return seeOther(back ?? "/")
    const nobodyYet = (yield* (yield* OrganizationStore).organizations()).length === 0
    const login = <Login back={back} nobodyYet={nobodyYet} providers={providers} />
    return yield* showPage(call, { title, narrow: true, notice: noticeOf(call, notices) }, login)
  })

const submit = (providers: LoginProps["providers"]) =>
  Effect.fnUntraced(function*(call: FormCall) {
    const { form } = call
    const back = safeReturn(form.get("return"))
    const email = form.get("email") ?? ""
    return yield* signIn({ email, password: form.get("password") ?? "" }, yield* signingBrowser(call)).pipe(
      Effect.map(({ secret }) => enter(call, secret, back)),
      Effect.catchTag("Unauthorized", ({ code, message }) => {
        const login = <Login back={back} email={email} fault={message} providers={providers} />
        return showPage(call, { title, narrow: true, status: statusOf[code] }, login)
      })
    )
  })

export const loginPages = (providers: LoginProps["providers"]) => [
  defineView({ path: "/login", security: "visitor", summary: "Sign in", handle: view(providers) }),
  defineForm({ path: "/login", security: "visitor", summary: "Signs in by e-mail and password", handle: submit(providers) })
]
