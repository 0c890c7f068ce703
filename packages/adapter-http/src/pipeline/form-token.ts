import { createHash, timingSafeEqual } from "node:crypto"

/** The field of a form that proves that a page of ours made it, for this browser. */
export const formTokenField = "form_token"

/**
 * What a form carries: derived from the cookie's secret, which no other site knows, and from where the form goes, query
 * included. So nothing is kept, and a token is worth nothing in another browser, after another sign-in, or for another form.
 */
export const formToken = (secret: string, action: string): string =>
  createHash("sha256").update(`${secret}\n${action}`).digest("hex")

export const isFormToken = (presented: string | null, secret: string, action: string): boolean => {
  const given = Buffer.from(presented ?? "")
  const expected = Buffer.from(formToken(secret, action))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
