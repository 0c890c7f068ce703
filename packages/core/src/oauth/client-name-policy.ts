const maxShown = 60

/** Controls, marks that turn the direction of text, what has no width, and line ends: none of it is a name's. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]+/gu

/**
 * The name that a client gave itself, as it may be shown to a person: one short line that reads in the order in which it
 * is written. `undefined` when nothing is left of it.
 */
export const shownClientName = (name: string | undefined): string | undefined => {
  const line = (name ?? "").normalize("NFC").replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, " ").replace(unseen, "").trim()
  const letters = [...line]
  if (letters.length === 0) return undefined
  return letters.length <= maxShown ? line : `${letters.slice(0, maxShown - 1).join("").trimEnd()}…`
}

/** Scripts whose letters people take for one another's. East Asian ones are written together, and beside Latin. */
const scripts: ReadonlyArray<readonly [name: string, letter: RegExp]> = [
  ["latin", /\p{Script=Latin}/u],
  ["east-asian", /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}]/u],
  ["greek", /\p{Script=Greek}/u],
  ["cyrillic", /\p{Script=Cyrillic}/u],
  ["armenian", /\p{Script=Armenian}/u],
  ["cherokee", /\p{Script=Cherokee}/u],
  ["hebrew", /\p{Script=Hebrew}/u],
  ["arabic", /\p{Script=Arabic}/u],
  // Letters that are of no script are those of mathematics, in which whole words can be set.
  ["symbols", /\p{Script=Common}/u]
]

const scriptOf = (letter: string): string => scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? "other"

/** Whether a name has letters of several scripts, as one that wants to pass for another has (UTS 39 section 5.2). */
export const isMixedScript = (name: string): boolean => {
  const found = new Set([...name].filter((character) => /\p{L}/u.test(character)).map(scriptOf))
  if (found.has("latin")) found.delete("east-asian")
  return found.size > 1
}
