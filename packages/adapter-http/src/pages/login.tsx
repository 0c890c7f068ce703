import { browserSessionLimits, signIn } from "@coppice/core"
import { Effect } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import { CurrentVisit } from "../pipeline/browser.ts"
import { setCookie } from "../pipeline/browser-cookies.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { safeReturn } from "../pipeline/return-path.ts"
import { seeOther } from "../reply.ts"
import { defineForm, defineView } from "./define-page.ts"
import { Button, Field, Form } from "./form.tsx"
import { noticeOf } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { ReturnField } from "./return-field.tsx"

interface Login {
  readonly back: string | undefined
  readonly email?: string
  readonly fault?: string
}

const LoginForm = ({ back, email, fault }: Login) => (
  <div class="card">
    <Form action="/login" visitor>
      <ReturnField path={back} />
      <Field name="email" label="E-mail" type="email" autocomplete="username" required autofocus={email === undefined} value={email} maxLength={254} />
      <Field name="password" label="Password" type="password" autocomplete="current-password" required autofocus={email !== undefined} fault={fault} />
      <Button>Sign in</Button>
    </Form>
  </div>
)

const notices = {
  "signed-out": "You are signed out.",
  "signed-out-everywhere": "You are signed out in all browsers."
}

const view = Effect.fnUntraced(function*(call: Call) {
  const back = safeReturn(new URL(call.request.url).searchParams.get("return"))
  if ((yield* CurrentVisit).signedIn !== undefined) return seeOther(back ?? "/")
  return yield* showPage(call, { title: "Sign in", narrow: true, notice: noticeOf(call, notices) }, <LoginForm back={back} />)
})

/** The cookie that keeps a person signed in for as long as the sign-in lasts. */
export const sessionCookie = (base: string, secret: string): string =>
  setCookie(base, "session", secret, browserSessionLimits.maxMillis / 1000)

export const userAgentOf = ({ request }: Call): string => request.headers.get("user-agent") ?? "Unknown browser"

const submit = Effect.fnUntraced(function*(call: FormCall) {
  const { form } = call
  const back = safeReturn(form.get("return"))
  const email = form.get("email") ?? ""
  const { sessionSecret } = yield* CurrentVisit
  return yield* signIn(
    { email, password: form.get("password") ?? "" },
    { userAgent: userAgentOf(call), previous: sessionSecret }
  ).pipe(
    Effect.map(({ secret }) => seeOther(back ?? "/", [sessionCookie(call.base, secret)])),
    Effect.catchTag("Unauthorized", ({ code, message }) =>
      showPage(
        call,
        { title: "Sign in", narrow: true, status: statusOf[code] },
        <LoginForm back={back} email={email} fault={message} />
      ))
  )
})

export const loginPages = [
  defineView({ path: "/login", security: "visitor", summary: "Sign in", handle: view }),
  defineForm({ path: "/login", security: "visitor", summary: "Signs in by e-mail and password", handle: submit })
]
