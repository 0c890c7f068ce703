import { Schema } from "effect"

/** The embedded database could not be opened. */
export class EmbeddedUnavailable extends Schema.TaggedError<EmbeddedUnavailable>()("EmbeddedUnavailable", {
  /** `locked`: another process uses the directory. `incompatible`: another version wrote it. `failed`: anything else. */
  reason: Schema.Literals(["locked", "incompatible", "failed"]),
  directory: Schema.String,
  message: Schema.String,
  hint: Schema.String
}) {}
