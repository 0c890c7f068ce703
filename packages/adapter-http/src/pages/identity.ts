import { countAttemptHere, type IdentityProvider, signInByIdentity } from "@coppice/core"
import { Effect, Schema } from "effect"
import { Refused } from "../errors/failure.ts"
import { clearCookie, readCookie, setCookie } from "../pipeline/browser-cookies.ts"
import type { Call } from "../pipeline/call.ts"
import { safeReturn } from "../pipeline/return-path.ts"
import { seeOther } from "../reply.ts"
import { defineView } from "./define-page.ts"
import { enter, signingBrowser } from "./sign-in-reply.ts"

/** How long a person may take at the other service. */
const minutes = 15

/** What the browser keeps meanwhile. It says which service it is for, so that none can answer for another. */
const Journey = Schema.fromJsonString(Schema.Struct({
  providerId: Schema.String,
  remember: Schema.String,
  back: Schema.optionalKey(Schema.String)
}))
const encode = Schema.encodeSync(Journey)
const decode = Schema.decodeUnknownOption(Journey)

const pathOf = (id: string): string => `/login/${id}/callback`

const begin = (provider: IdentityProvider) =>
  Effect.fnUntraced(function*({ base, request }: Call) {
    yield* countAttemptHere()
    const back = safeReturn(new URL(request.url).searchParams.get("return"))
    const { remember, url } = yield* provider.begin(base + pathOf(provider.id))
    const journey = encode({ providerId: provider.id, remember, ...back === undefined ? {} : { back } })
    return seeOther(url, [setCookie(base, "identity", Buffer.from(journey).toString("base64url"), minutes * 60)])
  })

const lost = () =>
  new Refused({
    code: "FORBIDDEN",
    message: "This browser was not on its way to sign in, or it took too long.",
    hint: "Go to the start, and sign in again."
  })

/** The secret of the invitation by whose page the person came. */
const invitationIn = (back: string | undefined): string | undefined =>
  back?.startsWith("/join?") === true ? new URLSearchParams(back.slice("/join?".length)).get("token") ?? undefined : undefined

const complete = (provider: IdentityProvider) =>
  Effect.fnUntraced(function*(call: Call) {
    yield* countAttemptHere()
    const cookie = Buffer.from(readCookie(call, "identity") ?? "", "base64url").toString()
    const journey = decode(cookie)
    if (journey._tag === "None" || journey.value.providerId !== provider.id) return yield* lost()
    const { remember } = journey.value
    const back = safeReturn(journey.value.back)
    const { search } = new URL(call.request.url)
    const identity = yield* provider.complete(call.base + pathOf(provider.id) + search, remember)
    const { joined, secret } = yield* signInByIdentity(identity, yield* signingBrowser(call), invitationIn(back))
    const reply = enter(call, secret, joined ? "/" : back)
    return { ...reply, cookies: [...reply.cookies ?? [], clearCookie(call.base, "identity")] }
  })

/** The way to each other service and back. */
export const identityPages = (providers: ReadonlyArray<IdentityProvider>) =>
  providers.flatMap((provider) => [
    defineView({
      path: `/login/${provider.id}`,
      security: "visitor",
      summary: `Signs in with ${provider.name}`,
      handle: begin(provider)
    }),
    defineView({
      path: pathOf(provider.id),
      security: "visitor",
      summary: `Where ${provider.name} sends people back to`,
      handle: complete(provider)
    })
  ])
