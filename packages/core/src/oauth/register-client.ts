import { Data, Effect, Result } from "effect"
import { issueSecret } from "../credential/secret.ts"
import { newId, OAuthClientId } from "../id.ts"
import { now } from "../timestamp.ts"
import { judgeClientMetadata, type MetadataFault } from "./client-metadata-policy.ts"
import type { OAuthClient } from "./oauth-client.ts"
import { OAuthClientStore } from "./oauth-client-store.ts"

/** A registration that was not accepted; nothing was stored. */
export class RegistrationRefused extends Data.TaggedError("RegistrationRefused")<MetadataFault> {}

/** Registers a client that nobody vouches for: until a person approves it, it can do nothing. Its secret is answered here and never again. */
export const registerClient = Effect.fn("registerClient")(function*(metadata: unknown) {
  const judged = judgeClientMetadata(metadata)
  if (Result.isFailure(judged)) return yield* new RegistrationRefused(judged.failure)
  const at = yield* now
  const client: OAuthClient = { id: yield* newId(OAuthClientId), ...judged.success, createdAt: at, updatedAt: at }
  const store = yield* OAuthClientStore
  if (client.authMethod === "none") {
    yield* store.register(client)
    return { client, secret: undefined }
  }
  const { hash, secret } = yield* issueSecret("clientSecret")
  yield* store.register(client, hash)
  return { client, secret }
})
