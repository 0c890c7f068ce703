/** How many characters a password has, at the least and at the most. */
export const passwordLength = { min: 8, max: 256 } as const

/** What one character may take in UTF-8. */
const maxCharacterBytes = 4

/** The same characters however a keyboard composes them (RFC 8265 section 4.2.2 keeps spaces and case as they are; NFKC is stricter). */
export const normalizePassword = (password: string): string => password.normalize("NFKC")

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** What is wrong with a new password, if anything is. */
export const passwordFault = (password: string): string | undefined => {
  // Cut short before anything is counted: what is longer in UTF-16 is longer in characters too.
  if (password.length > passwordLength.max * 2) return `Use ${passwordLength.max} characters at the most.`
  if (!password.isWellFormed()) return "Use characters only."
  const normal = normalizePassword(password)
  const characters = [...normal].length
  if (characters < passwordLength.min) return `Use ${passwordLength.min} characters or more.`
  if (characters > passwordLength.max || bytesOf(normal) > passwordLength.max * maxCharacterBytes) {
    return `Use ${passwordLength.max} characters at the most.`
  }
}
