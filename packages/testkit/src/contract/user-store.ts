import { UserStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { assert } from "vitest"
import { test } from "./check.ts"
import { seedTenant } from "./seed.ts"
import { storeContract } from "./store-contract.ts"

export const userStoreContract = storeContract("UserStore", () => [
  test("finds a user by e-mail, letter case aside", Effect.gen(function*() {
    const store = yield* UserStore
    const { user } = yield* seedTenant
    assert.strictEqual((yield* store.byEmail(user.email.toUpperCase()))?.id, user.id)
    assert.isUndefined(yield* store.byEmail(`not-${user.email}`))
  }))
])
