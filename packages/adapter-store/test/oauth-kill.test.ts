import { AuthorizationCodeStore, OAuthTokenStore } from "@coppice/core/ports"
import { describePostgres } from "@coppice/testkit/postgres/vitest"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { approved, codeOf, halfway, issued, newTokens, opened, waiting, worth } from "./oauth-seed.ts"
import { migratedDatabase, replica, type Services, world, type World } from "./replica.ts"

/** A statement whose connection is killed when half of it is done; what it left; and that it can be tried again. */
const killed = <A>(
  name: string,
  prepare: (here: World) => Effect.Effect<{
    readonly held: Omit<Parameters<typeof halfway>[1], "grant">
    readonly exchange: Effect.Effect<A>
    readonly nothingChanged: Effect.Effect<void, unknown, Services>
    readonly done: (answer: A) => Effect.Effect<void, unknown, Services>
  }, unknown, Services>
) =>
  it.live(name, () =>
    Effect.gen(function*() {
      const url = yield* migratedDatabase
      const [stores, other] = [yield* replica(url), yield* replica(url)]
      const elsewhere = Context.get(other, SqlClient)
      yield* Effect.gen(function*() {
        const here = yield* world
        const { grant } = yield* issued(here)
        const { done, exchange, held, nothingChanged } = yield* prepare(here)
        const exit = yield* halfway(elsewhere, { ...held, grant }, Effect.gen(function*() {
          const running = yield* Effect.forkDetach(exchange)
          const [pid] = yield* waiting(1)
          yield* (yield* SqlClient)`SELECT pg_terminate_backend(${pid})`
          return yield* Fiber.await(running)
        }))
        assert.isTrue(Exit.isFailure(exit))
        yield* nothingChanged
        yield* done(yield* exchange)
      }).pipe(Effect.provideContext(stores))
    }).pipe(Effect.scoped))

describePostgres("T20: a connection that is killed half-way", () => {
  killed("leaves a code unredeemed, and no tokens", (here) =>
    Effect.gen(function*() {
      const { codeHash } = yield* approved(here)
      const tokens = newTokens()
      return {
        held: { table: "access_tokens", hash: tokens.accessHash },
        exchange: (yield* AuthorizationCodeStore).redeem(codeHash, tokens, 5),
        nothingChanged: Effect.gen(function*() {
          assert.isUndefined((yield* codeOf(codeHash))?.redeemedAt)
          assert.deepStrictEqual(yield* worth([tokens]), [0, 0])
        }),
        done: Effect.fnUntraced(function*(redeemed) {
          assert.isTrue(redeemed)
          assert.deepStrictEqual(yield* worth([tokens]), [1, 1])
        })
      }
    }))

  killed("leaves a refresh token unused, and no new ones", (here) =>
    Effect.gen(function*() {
      const store = yield* OAuthTokenStore
      const { refresh } = yield* issued(here)
      const tokens = newTokens()
      return {
        held: { table: "access_tokens", hash: tokens.accessHash },
        exchange: store.rotate(refresh, tokens, { graceMillis: 0, maxReuses: 0 }),
        nothingChanged: Effect.gen(function*() {
          assert.isUndefined((yield* store.findRefresh(refresh))?.token.rotatedAt)
          assert.deepStrictEqual(yield* worth([tokens]), [0, 0])
        }),
        done: Effect.fnUntraced(function*(rotation) {
          assert.strictEqual(rotation, "rotated")
          assert.deepStrictEqual(yield* worth([tokens]), [1, 1])
        })
      }
    }))

  killed("leaves a request undecided, and no grant and no code", (here) =>
    Effect.gen(function*() {
      const { approval, decide } = yield* opened(here)
      const countGrants = Effect.map(
        Effect.flatMap(SqlClient, (sql) => sql`SELECT FROM grants WHERE id = ${approval.grant.id}`),
        (rows) => rows.length
      )
      return {
        held: { table: "authorization_codes", hash: approval.codeHash },
        exchange: decide,
        nothingChanged: Effect.gen(function*() {
          assert.isUndefined(yield* codeOf(approval.codeHash))
          assert.strictEqual(yield* countGrants, 0)
        }),
        done: Effect.fnUntraced(function*(decided) {
          assert.isTrue(decided)
          assert.strictEqual((yield* codeOf(approval.codeHash))?.grant.id, approval.grant.id)
        })
      }
    }))
})
