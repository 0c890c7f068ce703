// Whatever is done at the authorization server, in whatever order and through whichever replica: it is what the model says.
import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { afterAll, assert, beforeAll, test } from "vitest"
import { beginHistory, type History } from "./support/oauth-history.ts"
import { type Instant, type Performed, Undecidable } from "./support/oauth-model.ts"
import { migrated, type OAuthReplica, replicaOn } from "./support/oauth-service.ts"

/** How often each step comes, beside the others. */
const weights = {
  "redeem": 5,
  "redeem once more": 2,
  "refresh": 6,
  "approve": 5,
  "refresh with an older one": 4,
  "seconds pass": 3,
  "minutes pass": 4,
  "half an hour passes": 4,
  "weeks pass": 3,
  "redeem with a wrong verifier": 1,
  "guess a verifier": 2,
  "redeem as another client": 1,
  "refresh as another client": 1,
  "refresh for more": 2,
  "refresh for less": 2,
  "revoke an access token": 1,
  "revoke a refresh token": 1,
  "revoke as another client": 1,
  "disconnect": 1,
  "leave": 2,
  "return": 2,
  "deny": 1,
  "register": 1
} satisfies Record<keyof History["steps"], number>
type What = keyof typeof weights

const kinds = Object.entries(weights).flatMap(([what, weight]) => Array.from({ length: weight }, () => what as What))
const timeless = kinds.filter((what) => !what.includes("pass"))

const upTo = (most: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most })))
const step = (of: ReadonlyArray<What>) =>
  Arbitrary.map(
    Arbitrary.all([upTo(of.length - 1), upTo(11), upTo(1)]),
    ([kind, number, replica]) => ({ what: of[kind]!, number, replica })
  )
type Step = { readonly what: What; readonly number: number; readonly replica: number }

// The same histories each time, so that a change is judged by what it changes; another seed goes looking for others.
const seed = process.env["COPPICE_TEST_SEED"] ?? "coppice"
const runs = Number(process.env["COPPICE_TEST_RUNS"] ?? 60)

/** What went wrong, with what the database said of it. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { code, reason } = error as { readonly code?: string; readonly reason?: { readonly cause?: unknown } }
  const cause = reason?.cause ?? error.cause
  return [error.message, ...code === undefined ? [] : [code], ...cause === undefined ? [] : [reasonOf(cause)]].join(": ")
}

describePostgres("two replicas of the authorization server", () => {
  let replicas: ReadonlyArray<OAuthReplica>
  let direct: OAuthReplica
  beforeAll(async () => {
    const url = await migrated(await Effect.runPromise(freshDatabase))
    replicas = await Promise.all([replicaOn(url), replicaOn(url)])
    direct = await replicaOn(url, { maxConnections: 2 })
  })
  afterAll(async () => {
    for (const replica of [...replicas ?? [], direct]) await replica?.close()
  })

  /** Holds a property of random histories; a failure is told with the smallest history that was found to break it. */
  const check = async <A>(histories: Arbitrary.Arbitrary<A>, live: (history: A) => Promise<"whole" | "cut">) => {
    const count = { whole: 0, cut: 0 }
    const result = await Effect.runPromise(Arbitrary.checkEffect(
      histories,
      (history) =>
        Effect.tryPromise({
          try: () => live(history).then((how) => ++count[how] > 0),
          catch: reasonOf
        }),
      { runs, seed, size: 40, maxShrinks: 150 }
    ))
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) assert.fail(failure)
    console.log(`seed ${seed}: ${count.whole} histories, and ${count.cut} up to where the clock left open what was right`)
    assert.isBelow(count.cut, runs / 4)
  }

  const begin = async () => {
    const history = await beginHistory({ replicas, direct })
    const record = async ({ what, number, replica }: Step) => {
      const from = history.clock()
      const performed = await history.steps[what](number, replicas[replica]!)
      return { performed, now: [from, history.clock()] as const }
    }
    const given = async (step: Step) => {
      const { now, performed } = await record(step)
      performed!.predict(now)
      performed!.record(now)
    }
    // Two clients, and a person's leave for one of them, so that every step has something to do.
    for (const what of ["register", "register", "approve", "redeem", "refresh"] as const) await given({ what, number: 0, replica: 0 })
    return { ...history, record }
  }

  /** What every token opens, on both replicas alike. */
  const useAll = async ({ clock, forgetLimits, model, use }: History) => {
    await forgetLimits()
    const from = clock()
    const seen = await Promise.all(model.accessTokens.map(async ({ secret }) => {
      const [one, two] = await Promise.all(replicas.map((replica) => use(secret, replica)))
      return { one, two }
    }))
    const now: Instant = [from, clock()]
    return model.accessTokens.map((token, place) => ({ token, now, ...seen[place]! }))
  }
  const owner = ({ grant, scope }: History["model"]["accessTokens"][number]) =>
    `200 ${grant.organization} ${grant.user} ${grant.client} ${scope.join(" ")}`

  const untilUndecidable = async (live: () => Promise<void>): Promise<"whole" | "cut"> => {
    try {
      await live()
      return "whole"
    } catch (error) {
      if (error instanceof Undecidable) return "cut"
      throw error
    }
  }

  const histories = Arbitrary.array(step(kinds), { minLength: 20, maxLength: 40 })

  test("do what the model does, step by step, and tokens are worth what it says on both", async () => {
    const seen = new Set<string>()
    await check(histories, (steps) =>
      untilUndecidable(async () => {
        const history = await begin()
        for (const [place, each] of steps.entries()) {
          const { now, performed } = await history.record(each)
          if (performed === undefined) continue
          const at = `step ${place + 1}, ${each.what}`
          assert.strictEqual(performed.observed, performed.predict(now), at)
          seen.add(`${each.what}: ${performed.observed}`)
          performed.record(now)
          performed.certain?.()
          for (const { now, one, token, two } of await useAll(history)) {
            const worth = history.model.isWorth(token, now) ? owner(token) : "nothing"
            assert.deepStrictEqual([one, two], [worth, worth], `after ${at}`)
          }
          for (const { successes } of history.model.codes) assert.isAtMost(successes, 1, at)
        }
      }))
    console.log(`${seen.size} outcomes of ${Object.keys(weights).length} steps`)
  })

  const batches = Arbitrary.array(
    Arbitrary.all([upTo(3), Arbitrary.array(step(timeless), { minLength: 2, maxLength: 4 })]),
    { minLength: 3, maxLength: 12 }
  )
  const passes = [undefined, undefined, "seconds pass", "minutes pass"] as const

  test("never do what must not be, when two to four steps go on at once", async () => {
    await check(batches, async (all) => {
      const history = await begin()
      const { model } = history
      /** Grants that had ended before the batch began: nothing comes of them, in any order. */
      const succeeds = ({ observed }: Performed) => observed.startsWith("tokens")
      for (const [pass, batch] of all) {
        const time = passes[pass]
        if (time !== undefined) await history.record({ what: time, number: 0, replica: 0 })
        const [ended, issuedBefore] = [new Set(model.grants.filter(({ revoked }) => revoked)), model.accessTokens.length]
        const done = await Promise.all(batch.map(history.record))
        for (const { now, performed } of done) {
          if (performed === undefined) continue
          assert.notMatch(performed.observed, /^(?:5|tokens of|server_error|temporarily)/)
          performed.record(now)
          if (succeeds(performed)) assert.isFalse(ended.has(model.accessTokens.at(-1)!.grant), "of a grant that had ended")
          performed.certain?.()
        }
        const members = new Set((await history.memberships()).map(({ organizationId, userId }) => `${organizationId} ${userId}`))
        // Who has left gets nothing of it back.
        for (const grant of model.grants) if (!members.has(`${grant.organization} ${grant.user}`)) grant.revoked = true
        for (const { one, token, two } of await useAll(history)) {
          const { grant } = token
          assert.strictEqual(one, two, "replicas agree")
          if (one !== "nothing") {
            assert.strictEqual(one, owner(token))
            assert.isFalse(token.forgotten, "what was worth nothing once stays so")
            assert.isFalse(grant.revoked, "its grant has ended, or its person has left")
          } else token.forgotten = true
        }
        for (const { successes } of model.codes) assert.isAtMost(successes, 1, "one success for each code")
        assert.isAtLeast(model.accessTokens.length, issuedBefore)
      }
      return "whole"
    })
  })
})
