import {
  addMember,
  audit,
  Email,
  foundFirst,
  foundOrganization,
  InvalidRequest,
  issuePasswordLink,
  Member,
  Name,
  notFound,
  Organization,
  Timestamp,
  User
} from "@coppice/core"
import { OrganizationStore, UserStore } from "@coppice/core/ports"
import { Effect, Schema } from "effect"
import { Installation, registerThisHost } from "../installation.ts"
import { defineOperation } from "./operation.ts"
import { actAsOwnerOf } from "./operator.ts"

const nameFrom = (email: string): string => email.slice(0, email.indexOf("@")).slice(0, 100)

/** Makes the first organization with its owner, and this machine a host of it. */
export const foundFirstHere = Effect.fn("foundFirstHere")(function*(input: { readonly email: string; readonly password?: string }) {
  const founded = yield* foundFirst({ ...input, name: nameFrom(input.email), organizationName: "Home" })
  yield* registerThisHost(founded.organization.id)
  return founded
})

/** Makes an organization with its owner, and this machine a host of it. */
const found = Effect.fn("found")(function*(input: { readonly email: string; readonly name?: string; readonly organizationName?: string }) {
  const { organization, owner, user } = yield* foundOrganization({
    email: input.email,
    name: input.name ?? nameFrom(input.email),
    organizationName: input.organizationName ?? "Home"
  })
  yield* audit({ organizationId: organization.id, userId: user.id }, "organization.founded", { name: organization.name, id: organization.id })
  yield* registerThisHost(organization.id)
  return { organization, user, member: owner }
})

/** Where a user sets a password: an address that works once. */
export const passwordLink = Effect.fn("passwordLink")(function*(user: User) {
  const { invitation, secret } = yield* issuePasswordLink(user)
  const { baseUrl } = yield* Installation
  return { url: `${baseUrl()}/join?token=${secret}`, expiresAt: invitation.expiresAt }
})

const withLink = <A extends { readonly user: User }>(created: A) =>
  Effect.map(passwordLink(created.user), ({ url }) => ({ ...created, passwordUrl: url }))

/** The first user founds an organization; so does one who names an organization that is not there. Others join. */
export const usersCreate = defineOperation({
  name: "users_create",
  input: {
    email: Email,
    name: Schema.optionalKey(Name),
    role: Schema.optionalKey(Schema.Literals(["admin", "member"])),
    organizationName: Schema.optionalKey(Name)
  },
  output: { user: User, member: Member, organization: Organization, passwordUrl: Schema.String },
  run: Effect.fn(function*({ email, name, organizationName, role }) {
    const organizations = yield* (yield* OrganizationStore).organizations()
    const organization = organizationName === undefined
      ? organizations[0]
      : organizations.find((organization) => organization.name === organizationName)
    if (organization === undefined) {
      if (role !== undefined) {
        return yield* new InvalidRequest({
          message: "Whoever founds an organization is its owner.",
          hint: organizations.length === 0 ? "Leave --role out for the first user." : "Leave --role out, or name an organization that is there."
        })
      }
      return yield* withLink(yield* found({
        email,
        ...(name === undefined ? {} : { name }),
        ...(organizationName === undefined ? {} : { organizationName })
      }))
    }
    const joined = yield* actAsOwnerOf(
      organization,
      addMember({ email, name: name ?? nameFrom(email), role: role ?? "member" })
    )
    yield* audit({ organizationId: organization.id }, "member.joined", { name: joined.user.email, id: joined.user.id })
    return yield* withLink({ ...joined, organization })
  })
})

/** For who forgot their password, or let the first link go by. */
export const usersPasswordLink = defineOperation({
  name: "users_password_link",
  input: { email: Email },
  output: { url: Schema.String, expiresAt: Timestamp },
  run: Effect.fn(function*({ email }) {
    const user = yield* (yield* UserStore).byEmail(email)
    return yield* passwordLink(user ?? (yield* notFound("user", email)))
  })
})
