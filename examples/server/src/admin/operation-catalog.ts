import { CurrentPrincipal, NotFound, toolCatalog, type ToolServices } from "@coppice/core"
import { Effect } from "effect"
import { automationsWebhookToken, keysCreate, keysList, keysRevoke } from "./credential-operations.ts"
import { doctor } from "./doctor-operation.ts"
import type { Operation } from "./operation.ts"
import { operatorPrincipal } from "./operator.ts"
import { usersCreate, usersPasswordLink } from "./user-operations.ts"

/** What works while there is nobody to act as. */
const withoutPrincipal = [usersCreate, usersPasswordLink, doctor] as const

/** What is done as a user: every tool, and what is no tool because secrets pass through it. */
const own = [keysCreate, keysList, keysRevoke, automationsWebhookToken] as const
const asUser: ReadonlyArray<Operation<ToolServices | Effect.Services<ReturnType<(typeof own)[number]["call"]>>>> = [
  ...own,
  ...toolCatalog
]

/** One call of the operator's. */
export interface AdminCall {
  readonly operation: string
  readonly arguments: unknown
  /** The e-mail of the user to act as; the owner of the first organization when left out. */
  readonly user?: string | undefined
}

/** Does what the operator at the machine asks, with the use cases that everybody else goes through. */
export const callOperation = Effect.fn("callOperation")(function*({ operation, user, ...call }: AdminCall) {
  const open = withoutPrincipal.find(({ name }) => name === operation)
  if (open !== undefined) return yield* open.call(call.arguments)
  const found = asUser.find(({ name }) => name === operation)
  if (found === undefined) return yield* new NotFound({ message: `No operation "${operation}".` })
  const principal = yield* operatorPrincipal(user)
  return yield* Effect.provideService(found.call(call.arguments), CurrentPrincipal, principal)
})
