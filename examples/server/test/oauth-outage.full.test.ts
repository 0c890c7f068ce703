// The database is lost in the middle of each step: all of it is done or nothing, nobody is told that it was their fault, and
// once the database is back they go on.
import { foundFirst, type User } from "@coppice/core"
import { describePostgres, freshDatabase } from "@coppice/testkit/postgres/vitest"
import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { eventually } from "./support/eventually.ts"
import { migrated, type OAuthReplica, replicaOn } from "./support/oauth-service.ts"
import { type Answer, type Attempt, outageSteps, stepNames } from "./support/oauth-steps.ts"
import { type Fault, postgresProxy } from "./support/postgres-proxy.ts"

const password = "a long enough password"

describePostgres("the authorization server, while its database goes away", () => {
  let url: string
  let proxy: Awaited<ReturnType<typeof postgresProxy>>
  /** By the way that can be lost, and beside it. */
  let service: OAuthReplica
  let sound: OAuthReplica
  let user: User

  beforeAll(async () => {
    url = await migrated(await Effect.runPromise(freshDatabase))
    proxy = await postgresProxy(url)
    ;[service, sound] = await Promise.all([replicaOn(proxy.databaseUrl, { maxConnections: 2 }), replicaOn(url)])
    ;({ user } = await sound.runtime.runPromise(foundFirst({ organizationName: "Acme", email: "ann@example.com", name: "Ann", password })))
  })
  afterAll(async () => {
    proxy?.close()
    for (const replica of [service, sound]) await replica?.close()
  })

  afterEach(() => {
    proxy.comeBack()
    proxy.letGo()
  })

  const world = () => ({ databaseUrl: url, service, sound, owner: { user, password } })

  const expectOutage = ({ body, retryAfter, status }: Answer, at: string) => {
    expect([at, status], body).toEqual([at, 503])
    expect(Number(retryAfter), at).toBeGreaterThan(0)
    expect(body, at).not.toMatch(/invalid_|unauthorized|UNAUTHORIZED/)
  }

  /** The statements that a step takes, when all is well. */
  const statementsOf = async (prepare: () => Promise<Attempt>): Promise<number> => {
    const { act } = await prepare()
    // The first one on a new connection costs more.
    await service.send("/readyz")
    proxy.countStatements()
    expect((await act()).status).toBeLessThan(400)
    return proxy.countStatements()
  }

  for (const name of stepNames) {
    const prepare = () => outageSteps(world())[name]()

    test(`at each statement of: ${name}`, async () => {
      const count = await statementsOf(prepare)
      expect(count).toBeGreaterThan(0)
      const outcomes: Array<string> = []
      for (let statement = 1; statement <= count; statement++) {
        for (const when of ["before", "after"] satisfies ReadonlyArray<Fault["when"]>) {
          const at = `${when} statement ${statement} of ${count}`
          const { act, done, retry } = await prepare()
          proxy.loseAt({ statement, when })
          expectOutage(await act(), at)
          const facts = await done()
          expect(new Set(facts).size, `${at}: ${facts}`).toBeLessThanOrEqual(1)
          // While it is away, the same is said.
          expectOutage(await act(), `${at}, again`)
          proxy.comeBack()
          await retry(facts[0] ?? false)
          outcomes.push(`${when} ${statement}: ${facts[0] === true ? "done" : "nothing"}`)
        }
      }
      console.log(`${name}: ${outcomes.join(", ")}`)
    })

    test(`that does not answer for a while, during: ${name}`, async () => {
      const { act, done } = await prepare()
      proxy.stall()
      const first = act()
      await eventually("it waits for the database", proxy.isHolding)
      proxy.letGo()
      expect((await first).status).toBeLessThan(400)
      await expect(done()).resolves.not.toContain(false)

      const next = await prepare()
      proxy.stall()
      const second = next.act()
      await eventually("it waits for the database", proxy.isHolding)
      proxy.goAway()
      proxy.letGo()
      expectOutage(await second, "stalled, then cut")
      expect(await next.done()).not.toContain(true)
      proxy.comeBack()
      await next.retry(false)
    })
  }
})
