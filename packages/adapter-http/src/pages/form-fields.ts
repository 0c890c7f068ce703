import { Email, Name, passwordFault } from "@coppice/core"
import { Schema } from "effect"

const isEmail = Schema.is(Email)
const isName = Schema.is(Name)

/** What is wrong with a form, by field. */
export type Faults = Readonly<Record<string, string | undefined>>

export const hasFaults = (faults: Faults): boolean => Object.values(faults).some((fault) => fault !== undefined)

/** A line that a person typed. */
export const line = (form: URLSearchParams, field: string): string => (form.get(field) ?? "").trim()

export const emailFault = (email: string): string | undefined => isEmail(email) ? undefined : "Enter an e-mail address."

export const nameFault = (name: string): string | undefined => isName(name) ? undefined : "Enter a name of 1 to 100 characters."

/** A new password, typed twice, because nobody sees what they type. */
export const newPasswordFaults = (form: URLSearchParams): Faults => {
  const password = form.get("password") ?? ""
  const fault = passwordFault(password)
  return { password: fault, again: fault === undefined && password !== form.get("again") ? "The two are not the same." : undefined }
}
