import type { ComponentChildren } from "preact"
import { noted, type Option as PlainOption } from "./fields.tsx"

interface Option extends PlainOption {
  readonly hint?: string | undefined
  readonly chosen?: boolean
}

interface ChoicesProps {
  readonly name: string
  readonly legend: string
  /** One of them, or any number. */
  readonly type: "radio" | "checkbox"
  readonly options: ReadonlyArray<Option>
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly class?: string
  readonly children?: ComponentChildren
}

const Choice = ({ chosen, hint, id, name, text, type, value }: Option & Pick<ChoicesProps, "name" | "type"> & { readonly id: string }) => (
  <div class="choice">
    <input id={id} type={type} name={name} value={value} checked={chosen} aria-describedby={hint === undefined ? undefined : `${id}-hint`} />
    <div>
      <label for={id}>{text}</label>
      {hint !== undefined && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  </div>
)

/** A question with its possible answers all in sight. */
export const Choices = ({ children, class: className, fault, hint, legend, name, options, type }: ChoicesProps) => (
  <fieldset
    class={["field", className].filter(Boolean).join(" ")}
    {...noted({ name, fault, hint })}
  >
    <legend>{legend}</legend>
    {hint !== undefined && <p class="hint" id={`${name}-hint`}>{hint}</p>}
    {options.map((option, index) => <Choice {...option} name={name} type={type} id={`${name}-${index}`} />)}
    {fault !== undefined && <p class="fault" id={`${name}-fault`}>{fault}</p>}
    {children}
  </fieldset>
)
