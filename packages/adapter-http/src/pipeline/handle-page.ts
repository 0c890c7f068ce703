import { CurrentPrincipal } from "@coppice/core"
import { Cause, Effect } from "effect"
import type { BrowserEndpoint, VisitorEndpoint } from "../endpoint.ts"
import { reportDefect } from "../errors/defect.ts"
import { type Failure, Refused } from "../errors/failure.ts"
import { errorPage } from "../pages/error-page.tsx"
import { type Reply, seeOther } from "../reply.ts"
import { CurrentPerson, CurrentVisit, recognizeBrowser, type Visit } from "./browser.ts"
import type { Call } from "./call.ts"
import { foreignForm, isOwnPage, readForm } from "./read-form.ts"
import { loginPath } from "./return-path.ts"

const nowhere = () =>
  new Refused({
    code: "FORBIDDEN",
    message: "You are not a member of any organization any more.",
    hint: "Ask somebody there for an invitation, and open its link in this browser."
  })

/** What a handler needs that the pipeline does not give it. */
type Answer<R> = Effect.Effect<Reply, Failure, R | CurrentVisit>

const visitor = <R>(endpoint: VisitorEndpoint<R>, call: Call, visit: Visit): Answer<R> =>
  endpoint.method === "GET"
    ? endpoint.handle(call)
    : Effect.flatMap(readForm(call, visit.secret, endpoint.maxFormBytes), (submitted) => endpoint.handle(submitted))

/** Who is not signed in goes to do so, and comes back to the page; a form that was sent is not sent again by itself. */
const toLogin = (call: Call, method: "GET" | "POST"): Reply => {
  const { pathname, search } = new URL(call.request.url)
  return seeOther(loginPath(method === "GET" ? pathname + search : undefined))
}

const person = <R>(endpoint: BrowserEndpoint<R>, call: Call, { sessionSecret, signedIn }: Visit): Answer<R> => {
  if (signedIn === undefined) return Effect.succeed(toLogin(call, endpoint.method))
  const { active } = signedIn
  if (active === undefined) return Effect.fail(nowhere())
  const { organizationId, role, userId } = active.member
  const answer: Effect.Effect<Reply, Failure, R | CurrentVisit | CurrentPerson | CurrentPrincipal> = endpoint.method === "GET"
    ? endpoint.handle(call)
    : Effect.flatMap(readForm(call, sessionSecret, endpoint.maxFormBytes), (submitted) => endpoint.handle(submitted))
  return answer.pipe(
    Effect.provideService(CurrentPrincipal, { organizationId, userId, role }),
    Effect.provideService(CurrentPerson, { ...signedIn, active })
  ) as Answer<R>
}

/** A page's own part: which browser and who, whether a form may come in, and what the handler answers. */
const answerPage = Effect.fnUntraced(function*<R>(endpoint: VisitorEndpoint<R> | BrowserEndpoint<R>, call: Call) {
  if (endpoint.method === "POST" && !isOwnPage(call)) return errorPage(foreignForm())
  const visit = yield* recognizeBrowser(call)
  const answer = endpoint.security === "visitor" ? visitor<R>(endpoint, call, visit) : person<R>(endpoint, call, visit)
  const reply = yield* Effect.provideService(answer, CurrentVisit, visit).pipe(
    Effect.catch((failure) => Effect.succeed(errorPage(failure)))
  ) as Effect.Effect<Reply, never, R>
  return { ...reply, cookies: [...visit.cookies, ...reply.cookies ?? []] } satisfies Reply
})

/** Answers a page's request; what goes wrong is a page as well, and shows no more than the envelope would. */
export const handlePage = <R>(
  endpoint: VisitorEndpoint<R> | BrowserEndpoint<R>,
  call: Call,
  isOutage: (defect: unknown) => boolean
) =>
  Effect.catchCause(answerPage<R>(endpoint, call), (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.map(reportDefect(cause, isOutage), (failure): Reply => errorPage(failure)))
