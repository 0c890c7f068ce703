import type { NewTokens, UserId } from "@coppice/core"
import { AuthorizationCodeStore, GrantStore, MemberStore, OAuthClientStore, OAuthTokenStore } from "@coppice/core/ports"
import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { sweep } from "../src/sweep.ts"
import { approved, codeOf, halfway, issued, newTokens, opened, service, waiting, worth } from "./oauth-seed.ts"
import { at, migratedDatabase, replica, type Replica, type Services, world } from "./replica.ts"

const grace = { graceMillis: 120_000, maxReuses: 19 }

/** Twenty at once, over two replicas by turns. */
const twenty = <A, E>(replicas: readonly [Replica, Replica], one: (number: number) => Effect.Effect<A, E, Services>) =>
  Effect.forEach(Array.from({ length: 20 }), (_, number) => Effect.provideContext(one(number), replicas[number % 2]!), {
    concurrency: "unbounded"
  })

const rotate = (hash: Parameters<OAuthTokenStore["Service"]["rotate"]>[0]) =>
  Effect.gen(function*() {
    const tokens = newTokens()
    return { tokens, rotation: yield* (yield* OAuthTokenStore).rotate(hash, tokens, grace) }
  })

/** Two replicas on a new database, and the stores of the first around the body. */
const racing = <A>(
  name: string,
  body: (replicas: readonly [Replica, Replica]) => Effect.Effect<A, unknown, Services>,
  timeoutMillis?: number
) =>
  it.live(name, () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const replicas = [yield* replica(url), yield* replica(url)] as const
      yield* Effect.provideContext(body(replicas), replicas[0])
    }).pipe(Effect.scoped), timeoutMillis)

describePostgres("the authorization server's stores", () => {
  racing("T1: redeem a code once where twenty try at once on two replicas", (replicas) =>
    Effect.gen(function*() {
      const here = yield* world
      for (let round = 0; round < 10; round++) {
        const { codeHash } = yield* approved(here)
        const tries = yield* twenty(replicas, () =>
          Effect.gen(function*() {
            const tokens = newTokens()
            return { tokens, redeemed: yield* (yield* AuthorizationCodeStore).redeem(codeHash, tokens, 5) }
          }))
        const winners = tries.filter(({ redeemed }) => redeemed)
        assert.strictEqual(winners.length, 1)
        assert.deepStrictEqual(yield* worth(winners.map(({ tokens }) => tokens)), [1, 1])
        assert.deepStrictEqual(yield* worth(tries.map(({ tokens }) => tokens)), [1, 1])
      }
    }))

  racing("F3: renew a token for all of twenty who use it at once on two replicas, and all of it ends with the grant", (replicas) =>
    Effect.gen(function*() {
      const here = yield* world
      const { grant, refresh } = yield* issued(here)
      const uses = yield* twenty(replicas, () => rotate(refresh))
      assert.deepStrictEqual([...new Set(uses.map(({ rotation }) => rotation))], ["rotated"])
      const all = uses.map(({ tokens }) => tokens)
      assert.deepStrictEqual(yield* worth(all), [20, 20])
      const children = yield* twenty(replicas, (number) => rotate(all[number]!.refresh.hash))
      assert.deepStrictEqual(yield* worth(children.map(({ tokens }) => tokens)), [20, 20])
      yield* (yield* GrantStore).revoke(here.organizationId, grant.id, undefined, at)
      yield* Effect.provideContext(
        Effect.map(worth([...all, ...children.map(({ tokens }) => tokens)]), (left) => assert.deepStrictEqual(left, [0, 0])),
        replicas[1]
      )
    }))

  racing("F11: leave no survivor where a grant is revoked while its token is renewed on two replicas", (replicas) =>
    Effect.gen(function*() {
      const here = yield* world
      for (let round = 0; round < 10; round++) {
        const { refresh, tokens } = yield* issued(here)
        const tries = yield* twenty(replicas, (number) =>
          number === round ? Effect.as(Effect.flatMap(OAuthTokenStore, (store) => store.revoke(refresh, undefined, at)), undefined) : rotate(refresh))
        const all: ReadonlyArray<NewTokens> = [tokens, ...tries.flatMap((one) => one === undefined ? [] : [one.tokens])]
        assert.deepStrictEqual(yield* worth(all), [0, 0])
      }
    }))

  racing("have all of a service client's tokens hang on one grant, and none survives a revocation but on a new one", (replicas) =>
    Effect.gen(function*() {
      const here = yield* world
      const tokens = yield* OAuthTokenStore
      for (let round = 0; round < 10; round++) {
        const { client, userId } = yield* service(here)
        const who = { ...here, userId }
        const [first] = yield* twenty(replicas, () => issued(who, client))
        const { id } = (yield* tokens.identify(first!.access))!.grant!
        const asked = yield* twenty(replicas, (number) =>
          number === round
            ? Effect.as(Effect.flatMap(GrantStore, (store) => store.revoke(here.organizationId, id, undefined, at)), undefined)
            : issued(who, client))
        const left = yield* Effect.forEach(asked, (one) => one === undefined ? Effect.undefined : tokens.identify(one.access))
        const { items: [next, ...more] } = yield* (yield* GrantStore).list(here.organizationId, userId, {})
        assert.deepStrictEqual([next?.id === id, more], [false, []])
        for (const principal of left) if (principal !== undefined) assert.strictEqual(principal.grant?.id, next?.id)
      }
    }))

  racing("F11: make a revocation wait for a renewal under way, and a renewal for a revocation", (replicas) =>
    Effect.gen(function*() {
      const here = yield* world
      const store = yield* OAuthTokenStore
      const elsewhere = Context.get(replicas[1], SqlClient)
      const [other, first, second] = [yield* issued(here), yield* issued(here), yield* issued(here)]
      const fresh = newTokens()
      const held = { table: "access_tokens", hash: fresh.accessHash, grant: other.grant } as const
      const [renewal, revocation] = yield* halfway(elsewhere, held, Effect.gen(function*() {
        const renewal = yield* Effect.forkDetach(store.rotate(first.refresh, fresh, grace))
        yield* waiting(1)
        const revocation = yield* Effect.forkDetach(store.revoke(first.refresh, undefined, at))
        yield* waiting(2)
        return [renewal, revocation] as const
      }))
      assert.strictEqual(yield* Fiber.join(renewal), "rotated")
      assert.strictEqual((yield* Fiber.join(revocation))?.id, first.grant.id)
      assert.deepStrictEqual(yield* worth([first.tokens, fresh]), [0, 0])

      const late = yield* Effect.gen(function*() {
        yield* elsewhere`UPDATE grants SET revoked_at = now() WHERE id = ${second.grant.id}`
        const late = yield* Effect.forkDetach(rotate(second.refresh))
        yield* waiting(1)
        return late
      }).pipe(elsewhere.withTransaction)
      assert.strictEqual((yield* Fiber.join(late)).rotation, "refused")
    }))

  racing("F14: make the removal of a member wait for a decision under way, and a decision for a removal", (replicas) =>
    Effect.gen(function*() {
      const here = yield* world
      const elsewhere = Context.get(replicas[1], SqlClient)
      const members = yield* MemberStore
      const remove = (userId: UserId) => members.remove(here.organizationId, userId, at)
      const [first, second] = [yield* service(here), yield* service(here)]
      const other = yield* issued(here)
      const { approval, decide } = yield* opened({ ...here, userId: first.userId })
      const held = { table: "authorization_codes", hash: approval.codeHash, grant: other.grant } as const
      const [decision, removal] = yield* halfway(elsewhere, held, Effect.gen(function*() {
        const decision = yield* Effect.forkDetach(decide)
        yield* waiting(1)
        const removal = yield* Effect.forkDetach(remove(first.userId))
        yield* waiting(2)
        return [decision, removal] as const
      }))
      assert.isTrue(yield* Fiber.join(decision))
      assert.isTrue(yield* Fiber.join(removal))
      assert.isDefined((yield* codeOf(approval.codeHash))?.grant.revokedAt)

      const asked = yield* opened({ ...here, userId: second.userId })
      const late = yield* Effect.gen(function*() {
        yield* elsewhere`DELETE FROM members WHERE user_id = ${second.userId}`
        const late = yield* Effect.forkDetach(asked.decide)
        yield* waiting(1)
        return late
      }).pipe(elsewhere.withTransaction)
      assert.isFalse(yield* Fiber.join(late))
      assert.isUndefined(yield* codeOf(asked.approval.codeHash))
    }))

  racing("never wait for one another in a ring", (replicas) =>
    Effect.gen(function*() {
      const here = yield* world
      const { organizationId } = here
      for (let round = 0; round < 10; round++) {
        const { client, userId } = yield* service(here)
        const who = { organizationId, userId }
        const grants = yield* Effect.forEach([0, 1, 2], () => issued(who, client))
        const { codeHash } = yield* approved(who)
        const [first, second, third] = [grants[0]!, grants[1]!, grants[2]!]
        const exits = yield* twenty(replicas, (number) =>
          Effect.exit(Effect.gen(function*() {
            const tokens = yield* OAuthTokenStore
            switch (number % 10) {
              case 0: return yield* rotate(first.refresh)
              case 1: return yield* tokens.authenticate(first.access, { max: 1000, windowSeconds: 60 })
              case 2: return yield* tokens.rotate(second.refresh, newTokens(), { graceMillis: 0, maxReuses: 0 })
              case 3: return yield* (yield* AuthorizationCodeStore).redeem(codeHash, newTokens(), 5)
              case 4: return yield* (yield* GrantStore).revoke(organizationId, third.grant.id, undefined, at)
              case 5: return yield* issued(who, client)
              case 6: return yield* tokens.revoke(number < 10 ? first.access : third.refresh, undefined, at)
              case 7: return yield* sweep
              case 8: return yield* tokens.authenticate(third.access, { max: 1000, windowSeconds: 60 })
              default:
                return number < 10
                  ? yield* (yield* OAuthClientStore).remove(organizationId, client.id, at)
                  : yield* (yield* MemberStore).remove(organizationId, userId, at)
            }
          })))
        assert.deepStrictEqual(exits.filter(Exit.isFailure), [])
        assert.deepStrictEqual(yield* worth(grants.map(({ tokens }) => tokens)), [0, 0])
      }
    }), 30_000)
})
