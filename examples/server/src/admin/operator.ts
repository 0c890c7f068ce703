import { Conflict, CurrentPrincipal, type Member, NotFound, type Organization, type Principal } from "@coppice/core"
import { MemberStore, OrganizationStore, UserStore } from "@coppice/core/ports"
import { Effect } from "effect"

const nobody = new Conflict({
  message: "There is no user yet.",
  hint: "Create the first one: npm run coppice -- users create --email you@example.com"
})

/** An organization's owner, who is its oldest member and so on its last page. */
const ownerOf = Effect.fn("ownerOf")(function*(organization: Organization) {
  const store = yield* MemberStore
  let cursor: string | undefined
  do {
    const page: { items: ReadonlyArray<Member>; nextCursor?: string } = yield* store.list(
      organization.id,
      cursor === undefined ? { limit: 100 } : { limit: 100, cursor }
    )
    const owner = page.items.find(({ role }) => role === "owner")
    if (owner !== undefined) return owner
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return yield* nobody
})

const memberOf = Effect.fn("memberOf")(function*(email: string) {
  const user = yield* (yield* UserStore).byEmail(email)
  const member = user === undefined ? undefined : yield* (yield* MemberStore).find(user.activeOrganizationId, user.id)
  return member ?? (yield* new NotFound({
    message: `No user with the e-mail "${email}".`,
    hint: "Create one: npm run coppice -- users create --email ADDRESS"
  }))
})

/** Whom the operator at the machine acts as: a user by e-mail, or the owner of the first organization. */
export const operatorPrincipal = Effect.fn("operatorPrincipal")(function*(email: string | undefined) {
  const [first] = yield* (yield* OrganizationStore).organizations()
  if (first === undefined) return yield* nobody
  const { organizationId, role, userId } = email === undefined ? yield* ownerOf(first) : yield* memberOf(email)
  return { organizationId, role, userId } satisfies Principal
})

/** The same for an organization that was named: its owner. */
export const actAsOwnerOf = <A, E, R>(organization: Organization, effect: Effect.Effect<A, E, R | CurrentPrincipal>) =>
  Effect.flatMap(ownerOf(organization), ({ organizationId, role, userId }) =>
    Effect.provideService(effect, CurrentPrincipal, { organizationId, role, userId }))
