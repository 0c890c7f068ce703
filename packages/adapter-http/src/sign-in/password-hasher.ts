import { PasswordHasher } from "@coppice/core/ports"
import { Effect, Layer, Semaphore } from "effect"
import { Argon2id } from "oslo/password"

/** Each takes some 19 MiB and a thread of the pool that files and names are looked up by, too: half of its four stay free. */
const atOnce = 2

/** Argon2id as OWASP has it at the least: 19 MiB, two passes, one lane; the salt is random and in the string that is answered. */
export const passwordHasherLayer = Layer.effect(
  PasswordHasher,
  Effect.gen(function*() {
    const argon = new Argon2id()
    const turn = (yield* Semaphore.make(atOnce)).withPermits(1)
    const hash = (password: string) => turn(Effect.promise(() => argon.hash(password)))
    // What a password of nobody is compared with: made like any other, of what nobody can type.
    const nobodys = yield* Effect.cached(hash("\u0000"))
    return PasswordHasher.of({
      hash,
      verify: (passwordHash, password) =>
        passwordHash === undefined
          ? Effect.flatMap(nobodys, (none) => Effect.as(turn(Effect.promise(() => argon.verify(none, password))), false))
          : turn(Effect.promise(() => argon.verify(passwordHash, password)))
    })
  })
)
