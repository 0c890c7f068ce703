import { Schema } from "effect"

/** No PostgreSQL can be run on this machine; the message says why. */
export class PostgresUnavailable extends Schema.TaggedError<PostgresUnavailable>()("PostgresUnavailable", {
  message: Schema.String
}) {}
