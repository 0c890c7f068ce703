import { BrowserSessionId, changePassword, signOutEverywhere, signOutSession } from "@coppice/core"
import { BrowserSessionStore, UserStore } from "@coppice/core/ports"
import type { BrowserSession } from "@coppice/core"
import { Effect, Schema } from "effect"
import { statusOf } from "../errors/error-envelope.ts"
import { Refused } from "../errors/failure.ts"
import { CurrentPerson } from "../pipeline/browser.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { seeOther } from "../reply.ts"
import { browserName } from "./browser-name.ts"
import { defineForm, defineView } from "./define-page.ts"
import { Field } from "./fields.tsx"
import { Button, Form } from "./form.tsx"
import { type Faults, hasFaults, newPasswordFaults } from "./form-fields.ts"
import { forgetBrowser } from "./logout.ts"
import { NewPassword } from "./new-password.tsx"
import { noticeOf } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { Time } from "./time.tsx"

const Password = ({ email, faults, hasPassword }: { readonly email: string; readonly faults?: Faults; readonly hasPassword: boolean }) => (
  <section class="card">
    <h2>Password</h2>
    {!hasPassword && <p>You have no password yet: you sign in through another service.</p>}
    <Form action="/settings/account/password" class="short">
      <input type="hidden" name="username" value={email} autocomplete="username" />
      {hasPassword && (
        <Field name="present" label="Present password" type="password" autocomplete="current-password" required fault={faults?.["present"]} />
      )}
      <NewPassword label="New password" faults={faults} />
      <p class="hint">Other browsers are signed out.</p>
      <Button>Change password</Button>
    </Form>
  </section>
)

const Session = ({ isThis, session }: { readonly isThis: boolean; readonly session: BrowserSession }) => (
  <tr>
    <td data-label="Browser">{browserName(session.userAgent)} {isThis && <span class="tag good">This one</span>}</td>
    <td data-label="From">{session.address}</td>
    <td data-label="Signed in"><Time at={session.authenticatedAt} /></td>
    <td data-label="Last used"><Time at={session.updatedAt} /></td>
    <td>
      {!isThis && (
        <Form action="/settings/account/sign-out">
          <Button kind="quiet" name="sessionId" value={session.id}>Sign out</Button>
        </Form>
      )}
    </td>
  </tr>
)

const Sessions = ({ own, sessions }: { readonly own: BrowserSessionId; readonly sessions: ReadonlyArray<BrowserSession> }) => (
  <section class="card">
    <h2>Where you are signed in</h2>
    <div class="table">
      <table class="stack">
        <thead><tr><th>Browser</th><th>From</th><th>Signed in</th><th>Last used</th><th><span class="unseen">Sign out</span></th></tr></thead>
        <tbody>{sessions.map((session) => <Session isThis={session.id === own} session={session} />)}</tbody>
      </table>
    </div>
    <Form action="/settings/account/sign-out-everywhere">
      <Button kind="danger">Sign out everywhere</Button>
    </Form>
  </section>
)

const notices = {
  "password-changed": "Your password is changed. Other browsers are signed out.",
  "browser-signed-out": "That browser is signed out."
}

const show = Effect.fnUntraced(function*(call: Call, faults?: Faults) {
  const person = yield* CurrentPerson
  const { active, session, user } = person
  const sessions = yield* (yield* BrowserSessionStore).list(user.id)
  const hasPassword = (yield* (yield* UserStore).passwordHash(user.id)) !== undefined
  const status = faults === undefined ? 200 : statusOf.INVALID_REQUEST
  return yield* showPage(call, { title: "Account", notice: noticeOf(call, notices), status }, (
    <>
      <section class="card">
        <dl class="facts">
          <dt>Name</dt><dd>{user.name}</dd>
          <dt>E-mail</dt><dd>{user.email}</dd>
          <dt>Organization</dt><dd>{active.organization.name}, as {active.member.role}</dd>
        </dl>
      </section>
      <Sessions own={session.id} sessions={sessions} />
      <Password email={user.email} hasPassword={hasPassword} {...faults === undefined ? {} : { faults }} />
    </>
  ))
})

const submitPassword = Effect.fnUntraced(function*(call: FormCall) {
  const { form } = call
  const faults = newPasswordFaults(form)
  if (hasFaults(faults)) return yield* show(call, faults)
  const input = { present: form.get("present") ?? "", next: form.get("password") ?? "" }
  return yield* changePassword(yield* CurrentPerson, input).pipe(
    Effect.as(seeOther("/settings/account?notice=password-changed")),
    // Who has no present password sees it where the new one goes.
    Effect.catchTag("Unauthorized", ({ message }) => show(call, form.has("present") ? { present: message } : { password: message }))
  )
})

const isSessionId = Schema.is(BrowserSessionId)

const signOutOne = Effect.fnUntraced(function*({ form }: FormCall) {
  const id = form.get("sessionId")
  if (!isSessionId(id)) return yield* new Refused({ code: "INVALID_REQUEST", message: "No browser was chosen." })
  yield* signOutSession(yield* CurrentPerson, id)
  return seeOther("/settings/account?notice=browser-signed-out")
})

const signOutAll = Effect.fnUntraced(function*({ base }: FormCall) {
  yield* signOutEverywhere(yield* CurrentPerson)
  return seeOther("/login?notice=signed-out-everywhere", forgetBrowser(base))
})

export const accountPages = [
  defineView({ path: "/settings/account", security: "browser", summary: "Password and sign-ins", handle: (call) => show(call) }),
  defineForm({ path: "/settings/account/password", security: "browser", summary: "Changes the password", handle: submitPassword }),
  defineForm({ path: "/settings/account/sign-out", security: "browser", summary: "Signs out one browser", handle: signOutOne }),
  defineForm({
    path: "/settings/account/sign-out-everywhere",
    security: "browser",
    summary: "Signs out all browsers",
    handle: signOutAll
  })
]
