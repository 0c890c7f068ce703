import type { ComponentChildren } from "preact"
import { Button, Form } from "./form.tsx"

interface ConfirmProps {
  readonly action: string
  /** What the button does, in words: it is read without the rest. */
  readonly does: string
  /** Where one goes who thinks better of it. */
  readonly back: string
  readonly children: ComponentChildren
}

/** The last question before something that cannot be undone: what will be so, and two ways on. */
export const Confirm = ({ action, back, children, does }: ConfirmProps) => (
  <div class="card">
    {children}
    <Form action={action} class="row fill">
      <Button kind="danger">{does}</Button>
      <a class="button plain" href={back}>Cancel</a>
    </Form>
  </div>
)
