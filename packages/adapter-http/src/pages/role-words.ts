import type { Role } from "@coppice/core"

/** What each role lets a person do, as one would say it to whoever gives it. */
export const assignableRoles: ReadonlyArray<{ readonly value: Exclude<Role, "owner">; readonly text: string; readonly hint: string }> = [
  { value: "member", text: "Member", hint: "Works with all projects, agents, automations and runs, and has keys of their own." },
  { value: "admin", text: "Admin", hint: "Also invites and removes members, sees all keys and connections, and reads the audit log." }
]

export const roleOf = (role: string | null): Exclude<Role, "owner"> | undefined => role === "member" || role === "admin" ? role : undefined
