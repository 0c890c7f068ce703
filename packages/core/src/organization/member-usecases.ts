import { Effect } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { Forbidden, notFound } from "../error.ts"
import { now } from "../timestamp.ts"
import { MemberStore } from "./member-store.ts"
import { getMember } from "./organization-usecases.ts"
import type { Member, Role } from "./organization.ts"
import { CurrentPrincipal } from "./principal.ts"
import { requireAllProjects, requireFullAccess } from "./require-access.ts"
import { isServiceMember } from "./service-member-policy.ts"

const onlyAdmins = new Forbidden({ message: "Only an admin may change who is a member." })

const theOwner = new Forbidden({
  message: "The owner of an organization stays its owner.",
  hint: "There is one owner, who cannot be removed or given another role."
})

const ofServiceClient = new Forbidden({
  message: "That member is a service client's.",
  hint: "Remove the service client, and its member goes with it."
})

const write = Effect.fnUntraced(function*(action: "member.role_changed" | "member.removed", { email, userId }: Member) {
  yield* audit(yield* CurrentPrincipal, action, { name: email, id: userId })
})

/** Makes a member an admin, or an admin a member. What they sign in with next has the new role. */
export const changeRole = Effect.fn("changeRole")(function*(userIdOrEmail: string, role: Exclude<Role, "owner">) {
  yield* Effect.andThen(requireFullAccess, requireAllProjects)
  const principal = yield* CurrentPrincipal
  if (principal.role === "member") return yield* onlyAdmins
  const member = yield* getMember(userIdOrEmail)
  if (member.role === "owner") return yield* theOwner
  if (isServiceMember(member)) return yield* ofServiceClient
  if (member.userId === principal.userId) {
    return yield* new Forbidden({ message: "Nobody changes their own role.", hint: "Ask another admin, or the owner." })
  }
  if (member.role === role) return member
  const changed = yield* (yield* MemberStore).setRole(principal.organizationId, member.userId, role, yield* now)
  if (changed === undefined) return yield* notFound("member", userIdOrEmail)
  yield* write("member.role_changed", changed)
  return changed
})

/**
 * Removes a member, or has the caller leave. Every API key and every grant that they have in the organization ends with
 * it for good, and what goes on by these at once.
 */
export const removeMember = Effect.fn("removeMember")(function*(userIdOrEmail: string) {
  yield* Effect.andThen(requireFullAccess, requireAllProjects)
  const principal = yield* CurrentPrincipal
  const member = yield* getMember(userIdOrEmail)
  if (principal.role === "member" && member.userId !== principal.userId) return yield* onlyAdmins
  if (member.role === "owner") return yield* theOwner
  if (isServiceMember(member)) return yield* ofServiceClient
  const removed = yield* (yield* MemberStore).remove(principal.organizationId, member.userId, yield* now)
  if (!removed) return yield* notFound("member", userIdOrEmail)
  yield* write("member.removed", member)
  return member
})
