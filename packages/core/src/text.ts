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

/** What of a text can stand in a branch's name or a slug: a to z and digits, parted by hyphens, at most 40 of them. */
export const wordsOf = (text: string): string =>
  text.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 40).replace(/-+$/, "")

/** A name or an id, where a tool asks for a record. */
export const Reference = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
