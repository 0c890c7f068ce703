import type { ComponentChildren } from "preact"
import { formToken, formTokenField } from "../pipeline/form-token.ts"
import { useFrame } from "./frame.ts"

interface FormProps {
  /** Where it goes: one of our own paths, query included. */
  readonly action: string
  /** For an endpoint whose security is "visitor"; without it, for "browser". */
  readonly visitor?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}

/** A form that our own endpoints take: it carries the token without which they take none. */
export const Form = ({ action, children, class: className, visitor = false }: FormProps) => {
  const { visit } = useFrame()
  const secret = visitor ? visit?.secret : visit?.sessionSecret
  return (
    <form method="post" action={action} class={className} accept-charset="utf-8">
      {secret !== undefined && <input type="hidden" name={formTokenField} value={formToken(secret, action)} />}
      {children}
    </form>
  )
}

interface ButtonProps {
  readonly children: ComponentChildren
  readonly kind?: "plain" | "danger" | "quiet"
  readonly name?: string
  readonly value?: string
  /** What it does, where its own words say that only beside others. */
  readonly label?: string
}

/** The button that sends the form it stands in. */
export const Button = ({ children, kind, label, name, value }: ButtonProps) => (
  <button type="submit" class={kind} name={name} value={value} aria-label={label}>{children}</button>
)
