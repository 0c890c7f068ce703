import { DateTime, Effect } from "effect"
import { newId, SigningKeyId } from "../id.ts"
import { now } from "../timestamp.ts"
import { IdTokenSigner } from "./id-token-signer.ts"
import { dueSigningKey, signingKeyPublishedMillis } from "./signing-key-policy.ts"
import { SigningKeyStore } from "./signing-key-store.ts"

/** The keys that are published. Whoever asks when one is due makes it; of several replicas that do so at once, one succeeds. */
export const signingKeys = Effect.fn("signingKeys")(function*() {
  const store = yield* SigningKeyStore
  const at = yield* now
  const keys = yield* store.list(at)
  const due = dueSigningKey(keys, at)
  if (due === undefined) return keys
  const pair = yield* (yield* IdTokenSigner).generate()
  const retiresAt = DateTime.add(due.signsFrom, { milliseconds: signingKeyPublishedMillis })
  return yield* store.add(
    { id: yield* newId(SigningKeyId), ...pair, createdAt: at, signsFrom: due.signsFrom, retiresAt },
    due.unlessSignsFrom
  )
})
