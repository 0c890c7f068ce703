interface ShownOnceProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly hint?: string
}

/** Something to take along now. It can be selected without script, and copied with it. */
export const ShownOnce = ({ hint, label, name, value }: ShownOnceProps) => (
  <div class="field">
    <label for={name}>{label}</label>
    <div class="secret">
      <textarea
        id={name}
        class="mono"
        readonly
        rows={value.length > 70 ? 3 : 2}
        spellcheck={false}
        autocomplete="off"
        aria-describedby={hint === undefined ? undefined : `${name}-hint`}
      >
        {value}
      </textarea>
      <button type="button" class="plain" data-copy={name} hidden>Copy<span class="unseen">: {label}</span></button>
    </div>
    {hint !== undefined && <p class="hint" id={`${name}-hint`}>{hint}</p>}
  </div>
)
