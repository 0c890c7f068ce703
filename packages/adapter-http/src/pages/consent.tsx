import { type AuthorizationDescription, decideAuthorization, describeAuthorization } from "@coppice/core"
import { Effect } from "effect"
import { consentPath } from "../oauth/oauth-paths.ts"
import { CurrentPerson, CurrentVisit, type Person } from "../pipeline/browser.ts"
import type { Call, FormCall } from "../pipeline/call.ts"
import { loginAgainPath } from "../pipeline/return-path.ts"
import { type Reply, seeOther } from "../reply.ts"
import { defineForm, defineView } from "./define-page.ts"
import { Button, Form } from "./form.tsx"
import { Notice, type NoticeText } from "./notice.tsx"
import { showPage } from "./page.tsx"
import { inWords } from "./scope-words.ts"

/** A scheme of an app's own, in place of a host. */
const isApp = (redirectHost: string): boolean => redirectHost.endsWith(":")

const Warnings = ({ isLoopback, mixedScript, redirectHost }: AuthorizationDescription) => (
  <>
    {mixedScript && (
      <Notice kind="warn">This name mixes letters of different alphabets, which names do that want to pass for another.</Notice>
    )}
    {isApp(redirectHost) && (
      <Notice kind="warn">
        You are sent to whatever program on this computer opens such addresses. Allow it only if you have just told it to connect.
      </Notice>
    )}
    {isLoopback && (
      <Notice kind="warn">
        It says that it runs on this computer. Allow it only if you have just told a program here to connect.
      </Notice>
    )}
  </>
)

interface ConsentProps {
  readonly asked: AuthorizationDescription
  readonly person: Person
}

const Consent = ({ asked, person: { active: { organization }, user } }: ConsentProps) => (
  <div class="card">
    <p class="client">
      <bdi>{asked.clientName ?? "A program without a name"}</bdi> <span class="tag warn">unverified</span>
    </p>
    <p>wants access to Coppice. Anybody can choose any name; what counts is where you are sent afterwards:</p>
    <p class="host"><bdi>{asked.redirectHost}</bdi>{isApp(asked.redirectHost) && " (an app)"}</p>
    <Warnings {...asked} />
    <h2>It will be able to</h2>
    <ul>
      <li>Do all that you may do in <strong>{organization.name}</strong>: projects, tasks, workspaces, agents, automations and runs</li>
      {asked.scope.map((scope) => <li>{inWords(scope)}</li>)}
    </ul>
    <dl class="facts">
      <dt>You are</dt><dd>{user.name} ({user.email})</dd>
      <dt>Organization</dt><dd>{organization.name}. It stays with this one when you switch.</dd>
    </dl>
    <p class="hint">You can end this at any time under Connections.</p>
    <Form action={consentPath(asked.requestId)} class="row fill">
      <input type="hidden" name="organizationId" value={organization.id} />
      <Button kind="plain" name="decision" value="deny">Deny</Button>
      <Button name="decision" value="allow">Allow</Button>
    </Form>
  </div>
)

const requestOf = ({ request }: Call): string => new URL(request.url).searchParams.get("request") ?? ""

const show = Effect.fnUntraced(function*(call: Call, notice?: NoticeText) {
  const person = yield* CurrentPerson
  const asked = yield* describeAuthorization(requestOf(call), (yield* CurrentVisit).hash, person.session)
  const options = { title: "Allow access?", narrow: true, formTargets: [asked.redirectSource], notice }
  return yield* showPage(call, options, <Consent asked={asked} person={person} />)
})

/** Back to the program, with an address that is for it alone. */
const toClient = (location: string): Reply => ({
  status: 303,
  body: null,
  headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" }
})

const switched: NoticeText = { kind: "warn", text: "You are working in another organization now. Look again, then decide." }

const decide = Effect.fnUntraced(function*(call: FormCall) {
  const { active, session, user } = yield* CurrentPerson
  const decision = call.form.get("decision")
  // What the person saw has to be what they decide on, and there is no decision without a choice.
  if (call.form.get("organizationId") !== active.organization.id) return yield* show(call, switched)
  if (decision !== "allow" && decision !== "deny") return yield* show(call)
  return toClient(yield* decideAuthorization({
    requestId: requestOf(call),
    visit: (yield* CurrentVisit).hash,
    userId: user.id,
    organizationId: active.organization.id,
    authenticatedAt: session.authenticatedAt,
    approve: decision === "allow"
  }))
})

/** The client asked for somebody who has just signed in: on to do so, as anybody, and back here. */
const signInAgain = (call: Call) => Effect.succeed(seeOther(loginAgainPath(consentPath(requestOf(call)))))

export const consentPages = [
  defineView({
    path: "/consent",
    security: "browser",
    summary: "Whether a program may act for you",
    handle: (call) => Effect.catchTag(show(call), "SignInAgain", () => signInAgain(call))
  }),
  defineForm({
    path: "/consent",
    security: "browser",
    summary: "Carries out what was decided",
    handle: (call) => Effect.catchTag(decide(call), "SignInAgain", () => signInAgain(call))
  })
]
