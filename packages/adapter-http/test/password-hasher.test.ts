import { PasswordHasher } from "@coppice/core/ports"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { passwordHasherLayer } from "../src/index.ts"

describe("password hasher", () => {
  const runtime = ManagedRuntime.make(passwordHasherLayer)
  afterAll(() => runtime.dispose())
  const hash = (password: string) => runtime.runPromise(PasswordHasher.use((hasher) => hasher.hash(password)))
  const verify = (passwordHash: string | undefined, password: string) =>
    runtime.runPromise(PasswordHasher.use((hasher) => hasher.verify(passwordHash, password)))

  it("makes Argon2id of 19 MiB, two passes and one lane, with a salt of each hash's own", async () => {
    const [one, two] = [await hash("correct horse"), await hash("correct horse")]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(one).not.toBe(two)
    expect([await verify(one, "correct horse"), await verify(two, "correct horse"), await verify(one, "correct hors")]).toEqual([true, true, false])
  })

  it("finds nobody's password wrong, whatever it is", async () => {
    for (const password of ["", "\u0000", "correct horse"]) expect(await verify(undefined, password)).toBe(false)
  })

  it("does a flood in turn, and all of it", async () => {
    const known = await hash("correct horse")
    const flood = await runtime.runPromise(Effect.all(
      Array.from({ length: 12 }, (_, index) => PasswordHasher.use((hasher) => hasher.verify(known, index === 7 ? "correct horse" : "x"))),
      { concurrency: "unbounded" }
    ))
    expect(flood.flatMap((good, index) => good ? [index] : [])).toEqual([7])
  })
})
