interface CopyFieldProps {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly hint?: string
}

/** Something to take elsewhere: it can be selected without script, and copied with it. */
export const CopyField = ({ hint, id, label, value }: CopyFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <div class="copy">
      <input id={id} type="text" class="mono" readOnly value={value} autocomplete="off" spellcheck={false} aria-describedby={hint && `${id}-hint`} />
      <button type="button" class="plain" data-copy={id} hidden>Copy</button>
    </div>
    {hint !== undefined && <p class="hint" id={`${id}-hint`}>{hint}</p>}
  </div>
)

/** The same for what goes over several lines. */
export const CopyLines = ({ id, label, value }: Omit<CopyFieldProps, "hint">) => (
  <div class="field">
    <p class="label" id={`${id}-label`}>{label}</p>
    <pre id={id} class="take" tabIndex={0} role="region" aria-labelledby={`${id}-label`}>{value}</pre>
    <button type="button" class="plain" data-copy={id} hidden>Copy</button>
  </div>
)
