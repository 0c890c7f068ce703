import { wordsOf } from "../text.ts"
import type { TaskStatusType } from "./task.ts"

/**
 * A task's name for short, out of its title: `fix-the-login-3f9a21`, the end from the id so that equal titles rarely
 * meet. It needs no counter, and whoever has the id and the title can tell it.
 */
export const slugFor = (title: string, id: string): string => `${wordsOf(title) || "task"}-${id.slice(-6)}`

/** A title, and what is looked for in it, as they are compared: the same in every store, whatever its locale. */
export const titleKey = (title: string): string => title.toLowerCase()

/** The statuses that an organization begins with, in order. A new task has the first of them. */
export const firstStatuses: ReadonlyArray<{ readonly name: string; readonly type: TaskStatusType }> = [
  { name: "Backlog", type: "backlog" },
  { name: "Todo", type: "unstarted" },
  { name: "In progress", type: "started" },
  { name: "Done", type: "completed" },
  { name: "Cancelled", type: "cancelled" }
]
