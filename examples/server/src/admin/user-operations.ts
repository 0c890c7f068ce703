import { addMember, Email, foundOrganization, InvalidRequest, Member, Name, Organization, User } from "@coppice/core"
import { OrganizationStore } from "@coppice/core/ports"
import { Effect, Schema } from "effect"
import { registerThisHost } from "../installation.ts"
import { defineOperation } from "./operation.ts"
import { actAsOwnerOf } from "./operator.ts"

const nameFrom = (email: string): string => email.slice(0, email.indexOf("@")).slice(0, 100)

/** Makes an organization with its owner, and this machine a host of it. */
export const found = Effect.fn("found")(function*(input: {
  readonly email: string
  readonly name?: string
  readonly organizationName?: string
}) {
  const { organization, owner, user } = yield* foundOrganization({
    email: input.email,
    name: input.name ?? nameFrom(input.email),
    organizationName: input.organizationName ?? "Home"
  })
  yield* registerThisHost(organization.id)
  return { organization, user, member: owner }
})

/** The first user founds an organization; so does one who names an organization that is not there. Others join. */
export const usersCreate = defineOperation({
  name: "users_create",
  input: {
    email: Email,
    name: Schema.optionalKey(Name),
    role: Schema.optionalKey(Schema.Literals(["admin", "member"])),
    organizationName: Schema.optionalKey(Name)
  },
  output: { user: User, member: Member, organization: Organization },
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
      return yield* found({
        email,
        ...(name === undefined ? {} : { name }),
        ...(organizationName === undefined ? {} : { organizationName })
      })
    }
    const joined = yield* actAsOwnerOf(
      organization,
      addMember({ email, name: name ?? nameFrom(email), role: role ?? "member" })
    )
    return { ...joined, organization }
  })
})
