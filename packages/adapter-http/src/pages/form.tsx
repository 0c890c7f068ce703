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

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly type?: "text" | "email" | "password" | "number" | "date"
  readonly value?: string | undefined
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly autocomplete?: "username" | "current-password" | "new-password" | "name" | "organization" | "off"
  readonly minLength?: number
  readonly maxLength?: number
  readonly readonly?: boolean
  readonly hint?: string | undefined
  /** What is wrong with what was sent, if that is so. */
  readonly fault?: string | undefined
}

const describedBy = (name: string, hint: string | undefined, fault: string | undefined) =>
  [fault && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(" ") || undefined

/** A labelled input, with what to know about it and what was wrong with it. */
export const Field = ({ fault, hint, label, name, ...input }: FieldProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    <input
      id={name}
      name={name}
      aria-describedby={describedBy(name, hint, fault)}
      aria-invalid={fault === undefined ? undefined : "true"}
      // The types of JSX want one type of input at a time.
      {...input as object}
    />
    {fault !== undefined && <p class="fault" id={`${name}-fault`}>{fault}</p>}
    {hint !== undefined && <p class="hint" id={`${name}-hint`}>{hint}</p>}
  </div>
)

interface SelectProps {
  readonly name: string
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: string; readonly text: string }>
  readonly value?: string | undefined
  readonly hint?: string | undefined
}

/** A labelled choice of one. */
export const Select = ({ hint, label, name, options, value }: SelectProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    <select id={name} name={name} aria-describedby={describedBy(name, hint, undefined)}>
      {options.map((option) => <option value={option.value} selected={option.value === value}>{option.text}</option>)}
    </select>
    {hint !== undefined && <p class="hint" id={`${name}-hint`}>{hint}</p>}
  </div>
)

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
