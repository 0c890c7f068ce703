import { type Automation, MaxAttempts, MaxConcurrentRuns, Name, Text, TimeoutSeconds } from "@coppice/core"
import { Schema } from "effect"
import { type Faults, line } from "./form-fields.ts"

/** What is in the fields of an automation's form, as it is typed. */
export interface AutomationValues {
  readonly name: string
  readonly prompt: string
  readonly projectId: string
  readonly agent: string
  readonly workspaceMode: string
  readonly workspaceId: string
  readonly timeout: string
  readonly timeoutUnit: string
  readonly maxConcurrentRuns: string
  readonly maxAttempts: string
}

export const timeoutUnits = [
  { value: "3600", text: "hours" },
  { value: "60", text: "minutes" },
  { value: "1", text: "seconds" }
] as const

/** More than a form with the longest prompt holds, every character of it written as nine. */
export const maxAutomationFormBytes = 1024 * 1024

export const valuesOf = (form: URLSearchParams): AutomationValues => ({
  name: line(form, "name"),
  // A browser sends line ends as HTTP has them.
  prompt: (form.get("prompt") ?? "").replaceAll("\r\n", "\n"),
  projectId: line(form, "projectId"),
  agent: line(form, "agent"),
  workspaceMode: line(form, "workspaceMode"),
  workspaceId: line(form, "workspaceId"),
  timeout: line(form, "timeout"),
  timeoutUnit: line(form, "timeoutUnit"),
  maxConcurrentRuns: line(form, "maxConcurrentRuns"),
  maxAttempts: line(form, "maxAttempts")
})

/** A number of seconds in the largest unit that holds it evenly. */
const timeoutOf = (seconds: number) => {
  const unit = timeoutUnits.find(({ value }) => seconds % Number(value) === 0)!.value
  return { timeout: String(seconds / Number(unit)), timeoutUnit: unit }
}

export const valuesOfAutomation = (automation: Automation): AutomationValues => ({
  name: automation.name,
  prompt: automation.prompt,
  projectId: automation.projectId,
  agent: automation.agent,
  workspaceMode: automation.workspaceMode,
  workspaceId: automation.workspaceId ?? "",
  ...timeoutOf(automation.timeoutSeconds),
  maxConcurrentRuns: String(automation.maxConcurrentRuns ?? ""),
  maxAttempts: String(automation.maxAttempts)
})

const isName = Schema.is(Name)
const isText = Schema.is(Text)

/** The number that is written there, if it is one that the schema admits. */
const numberIn = (text: string, admits: (value: unknown) => boolean, factor = 1): number | undefined => {
  const value = /^\d{1,6}$/.test(text) ? Number(text) * factor : undefined
  return admits(value) ? value : undefined
}

const timeoutIn = ({ timeout, timeoutUnit }: AutomationValues) =>
  timeoutUnits.some(({ value }) => value === timeoutUnit)
    ? numberIn(timeout, Schema.is(TimeoutSeconds), Number(timeoutUnit))
    : undefined
const capIn = ({ maxConcurrentRuns }: AutomationValues) => numberIn(maxConcurrentRuns, Schema.is(MaxConcurrentRuns))
const attemptsIn = ({ maxAttempts }: AutomationValues) => numberIn(maxAttempts, Schema.is(MaxAttempts))

/** What is wrong with the fields by themselves, whatever there is in the database. */
export const automationFaults = (values: AutomationValues): Faults => {
  const { maxConcurrentRuns, name, prompt, workspaceMode } = values
  return {
    name: isName(name) ? undefined : "Enter a name of 1 to 100 characters.",
    prompt: prompt.trim() === ""
      ? "Enter what the agent is to do."
      : isText(prompt)
      ? undefined
      : "Enter at most 100,000 characters, and no zero characters.",
    workspaceMode: workspaceMode === "fresh" || workspaceMode === "reuse" ? undefined : "Choose one.",
    timeout: timeoutIn(values) === undefined ? "Enter a whole number, of a week at the most." : undefined,
    maxConcurrentRuns: maxConcurrentRuns !== "" && capIn(values) === undefined
      ? "Enter a whole number from 1 to 1000, or nothing."
      : undefined,
    maxAttempts: attemptsIn(values) === undefined ? "Enter a whole number from 1 to 10." : undefined
  }
}

/** What the fields say, once they have no faults. */
export const settingsOf = (values: AutomationValues) => {
  const { agent, name, prompt, workspaceId, workspaceMode } = values
  const shares = workspaceMode === "reuse"
  return {
    name,
    prompt,
    agent,
    workspaceMode: shares ? "reuse" as const : "fresh" as const,
    // With "fresh" the field is not seen, and may still hold something.
    workspaceId: shares && workspaceId !== "" ? workspaceId : undefined,
    timeoutSeconds: timeoutIn(values)!,
    maxConcurrentRuns: capIn(values),
    maxAttempts: attemptsIn(values)!
  }
}
