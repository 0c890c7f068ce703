import { Schema } from "effect"

/** Lone surrogates have no UTF-8, in which everything ends up: databases, processes, files. */
const wellFormed = Schema.makeFilter((text: string) => text.isWellFormed() || "Expected well-formed Unicode")

const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** A single line that people read: 1 to 100 characters, no control characters, no space at its ends. */
export const Name = Schema.String.check(
  Schema.makeFilter((text: string) => !control.test(text) || "Expected no control characters"),
  wellFormed,
  Schema.isTrimmed(),
  Schema.isMinLength(1),
  Schema.isMaxLength(100)
)

/** Free text of up to 100,000 characters. U+0000 is refused: no database and no process argument can carry it. */
export const Text = Schema.String.check(
  Schema.makeFilter((text: string) => !text.includes("\u0000") || "Expected no U+0000"),
  wellFormed,
  Schema.isMaxLength(100_000)
)

/** A name or an id, where a tool asks for a record. */
export const Reference = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
