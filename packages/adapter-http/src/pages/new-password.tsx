import { passwordLength } from "@coppice/core"
import { Field } from "./fields.tsx"
import type { Faults } from "./form-fields.ts"

/** A new password and the same again. */
export const NewPassword = ({ faults = {}, label = "Password" }: { readonly faults?: Faults | undefined; readonly label?: string }) => (
  <>
    <Field
      name="password"
      label={label}
      type="password"
      autocomplete="new-password"
      required
      minLength={passwordLength.min}
      hint={`${passwordLength.min} characters or more. A few unrelated words do well.`}
      fault={faults["password"]}
    />
    <Field name="again" label={`${label}, again`} type="password" autocomplete="new-password" required fault={faults["again"]} />
  </>
)
