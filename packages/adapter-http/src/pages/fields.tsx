interface CommonProps {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
}

export interface Option {
  readonly value: string
  readonly text: string
}

const described = ({ fault, hint, name }: CommonProps) => ({
  "aria-describedby": [fault && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(" ") || undefined,
  "aria-invalid": fault === undefined ? undefined : "true" as const
})

const Notes = ({ fault, hint, name }: CommonProps) => (
  <>
    {fault !== undefined && <p class="fault" id={`${name}-fault`}>{fault}</p>}
    {hint !== undefined && <p class="hint" id={`${name}-hint`}>{hint}</p>}
  </>
)

/** A labelled field for a text of several lines. */
export const TextArea = (props: CommonProps & { readonly value: string; readonly rows: number; readonly required?: boolean; readonly code?: boolean }) => (
  <div class="field">
    <label for={props.name}>{props.label}</label>
    <textarea id={props.name} name={props.name} rows={props.rows} required={props.required} class={props.code === true ? "mono" : undefined} {...described(props)}>
      {/* The first line end of a text area is not part of its text. */}
      {`\n${props.value}`}
    </textarea>
    <Notes {...props} />
  </div>
)

/** A labelled choice of one, with what was wrong with it. */
export const Choose = (props: CommonProps & { readonly options: ReadonlyArray<Option>; readonly value: string }) => (
  <div class="field">
    <label for={props.name}>{props.label}</label>
    <select id={props.name} name={props.name} {...described(props)}>
      {props.options.map(({ text, value }) => <option value={value} selected={value === props.value}>{text}</option>)}
    </select>
    <Notes {...props} />
  </div>
)
