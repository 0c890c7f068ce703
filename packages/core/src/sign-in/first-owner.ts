import { Effect } from "effect"
import { audit } from "../audit/audit-usecases.ts"
import { InvalidRequest } from "../error.ts"
import { foundOrganization } from "../organization/organization-usecases.ts"
import { passwordFault } from "./password-policy.ts"
import { setPassword } from "./sign-in-usecases.ts"

/** Makes the service's first organization with its owner and their password; of several who try that, one succeeds. */
export const foundFirst = Effect.fn("foundFirst")(function*(input: {
  readonly organizationName: string
  readonly email: string
  readonly name: string
  readonly password?: string
}) {
  const { password, ...owner } = input
  const fault = password === undefined ? undefined : passwordFault(password)
  if (fault !== undefined) return yield* new InvalidRequest({ message: fault })
  const founded = yield* foundOrganization({ ...owner, first: true })
  const { organization, user } = founded
  yield* audit({ organizationId: organization.id, userId: user.id }, "organization.founded", { name: organization.name, id: organization.id })
  if (password !== undefined) yield* setPassword(user, password)
  return founded
})
