import type { ComponentChildren } from "preact"
import type { Call } from "../pipeline/call.ts"

export interface NoticeText {
  readonly kind: "done" | "warn" | "fault"
  readonly text: string
}

/** Something that the person should see first: that it worked, or why it did not. */
export const Notice = ({ children, kind = "done" }: { readonly children: ComponentChildren; readonly kind?: NoticeText["kind"] }) => (
  <div class={`notice ${kind}`} role={kind === "fault" ? "alert" : "status"}>{children}</div>
)

/**
 * What the page that was gone to after a form says first: `?notice=<name>` picks one of the texts that the page knows, so
 * that no link can put words into the service's mouth.
 */
export const noticeOf = (call: Call, texts: Readonly<Record<string, string>>): NoticeText | undefined => {
  const name = new URL(call.request.url).searchParams.get("notice") ?? ""
  return Object.hasOwn(texts, name) ? { kind: "done", text: texts[name]! } : undefined
}
