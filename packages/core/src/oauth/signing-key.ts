import { Schema } from "effect"
import { SigningKeyId } from "../id.ts"
import { Timestamp } from "../timestamp.ts"

/** A key that ID tokens are signed with (RS256), as JSON Web Keys (RFC 7517). Nothing in this service takes what it signs for a credential. */
export const SigningKey = Schema.Struct({
  id: SigningKeyId.annotate({ description: "Its kid" }),
  publicJwk: Schema.String,
  privateJwk: Schema.String,
  createdAt: Timestamp,
  signsFrom: Timestamp.annotate({ description: "Published before it is used, so that whoever keeps the key set for a while knows it in time" }),
  retiresAt: Timestamp.annotate({ description: "Published no more from then on" })
})
export type SigningKey = typeof SigningKey.Type
