interface CommonProps {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  /** What is wrong with what was sent, if that is so. */
  readonly fault?: string | undefined
}

export interface Option {
  readonly value: string
  readonly text: string
}

/** What tells whoever cannot see the notes that there are some. */
export const noted = ({ fault, hint, name }: Pick<CommonProps, "name" | "hint" | "fault">) => ({
  "aria-describedby": [fault && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(" ") || undefined,
  "aria-invalid": fault === undefined ? undefined : "true" as const
})

const Notes = ({ fault, hint, name }: CommonProps) => (
  <>
    {fault !== undefined && <p class="fault" id={`${name}-fault`}>{fault}</p>}
    {hint !== undefined && <p class="hint" id={`${name}-hint`}>{hint}</p>}
  </>
)

interface FieldProps extends CommonProps {
  readonly type?: "text" | "email" | "password" | "number" | "date"
  readonly value?: string | undefined
  readonly required?: boolean
  readonly readonly?: boolean
  readonly autofocus?: boolean
  readonly autocomplete?: "username" | "current-password" | "new-password" | "name" | "organization" | "off"
  readonly minLength?: number
  readonly maxLength?: number
}

/** A labelled input, with what to know about it and what was wrong with it. */
export const Field = ({ fault, hint, label, name, ...input }: FieldProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    <input
      id={name}
      name={name}
      {...noted({ name, fault, hint })}
      // The types of JSX want one type of input at a time.
      {...input as object}
    />
    <Notes name={name} label={label} fault={fault} hint={hint} />
  </div>
)

/** The same for a text of several lines. */
export const TextArea = (props: CommonProps & { readonly value: string; readonly rows: number; readonly required?: boolean; readonly code?: boolean }) => (
  <div class="field">
    <label for={props.name}>{props.label}</label>
    <textarea id={props.name} name={props.name} rows={props.rows} required={props.required} class={props.code === true ? "mono" : undefined} {...noted(props)}>
      {/* The first line end of a text area is not part of its text. */}
      {`\n${props.value}`}
    </textarea>
    <Notes {...props} />
  </div>
)

/** The same for a choice of one. */
export const Select = (props: CommonProps & { readonly options: ReadonlyArray<Option>; readonly value?: string | undefined }) => (
  <div class="field">
    <label for={props.name}>{props.label}</label>
    <select id={props.name} name={props.name} {...noted(props)}>
      {props.options.map(({ text, value }) => <option value={value} selected={value === props.value}>{text}</option>)}
    </select>
    <Notes {...props} />
  </div>
)
