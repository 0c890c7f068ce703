import type { Automation } from "@coppice/core"
import { DateTime } from "effect"
import { CopyField, CopyLines } from "./copy-field.tsx"
import { Button, Form } from "./form.tsx"
import { ShownOnce } from "./shown-once.tsx"
import { Time } from "./time.tsx"

const urlOf = (base: string, { id }: Automation): string => `${base}/api/automations/webhook/${id}`

const curlOf = (url: string, token: string): string =>
  [`curl -X POST '${url}' \\`, `  -H 'Authorization: Bearer ${token}' \\`, `  -H 'Content-Type: application/json' \\`, `  -d '{"hello": "world"}'`]
    .join("\n")

/** The instant of the token that a page shows: with it a form says which token it means to replace. */
export const tokenMark = ({ webhookTokenAt }: Automation): string => webhookTokenAt === undefined ? "none" : DateTime.formatIso(webhookTokenAt)

interface WebhookProps {
  readonly automation: Automation
  readonly base: string
}

/** A token that was just made: the one page that ever shows it. */
export const NewToken = ({ automation, base, replaces, token }: WebhookProps & { readonly token: string; readonly replaces: boolean }) => (
  <section class="card fresh" role="status">
    <h2>The new webhook token</h2>
    <p>Copy it now: <strong>it is not shown again.</strong>{replaces && " The one before it has stopped working."}</p>
    <ShownOnce name="new-token" label="Token" value={token} />
    <CopyLines id="new-curl" label="Try it" value={curlOf(urlOf(base, automation), token)} />
  </section>
)

const TokenForm = ({ automation, children, danger = false }: { readonly automation: Automation; readonly children: string; readonly danger?: boolean }) => (
  <Form action={`/automations/${automation.id}/token`}>
    <input type="hidden" name="instead_of" value={tokenMark(automation)} />
    <Button kind={danger ? "danger" : "plain"}>{children}</Button>
  </Form>
)

const NoToken = ({ automation }: { readonly automation: Automation }) => (
  <>
    <p>There is no token yet, and without one every delivery is refused.</p>
    <TokenForm automation={automation}>Generate token</TokenForm>
  </>
)

const Token = ({ automation }: { readonly automation: Automation }) => (
  <>
    <p>
      It has a token, generated {automation.webhookTokenAt !== undefined && <Time at={automation.webhookTokenAt} />}. It was
      shown once, and nobody can see it again.
    </p>
    <details class="more">
      <summary>Regenerate token</summary>
      <p>The present token stops working at once: whoever sends it is refused until they have the new one.</p>
      <TokenForm automation={automation} danger>Regenerate token</TokenForm>
    </details>
  </>
)

/** Trigger settings: where a webhook is sent, and with what. */
export const WebhookCard = ({ automation, base }: WebhookProps) => {
  const url = urlOf(base, automation)
  return (
    <section class="card" id="trigger">
      <h2>Trigger settings</h2>
      <CopyField id="webhook-url" label="Webhook URL" value={url} hint="POST a JSON object or array of up to 1 MiB, with the token as Authorization: Bearer. Each delivery is one run." />
      {automation.webhookTokenAt === undefined ? <NoToken automation={automation} /> : <Token automation={automation} />}
    </section>
  )
}
