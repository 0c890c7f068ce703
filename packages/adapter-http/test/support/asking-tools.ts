import { AskPerson, CurrentPrincipal, defineTool } from "@coppice/core"
import { Effect, Schema } from "effect"
import { testTool } from "./service.ts"

/** What was erased, by whom. */
export const erased: Array<string> = []

const erase = defineTool({
  name: "things_erase",
  title: "Erase a thing",
  description: "Erases it.",
  effects: "destroys",
  input: { thingId: Schema.String },
  output: { erased: Schema.String },
  run: ({ thingId }) =>
    Effect.map(CurrentPrincipal, ({ userId }) => {
      erased.push(`${userId} ${thingId}`)
      return { erased: thingId }
    })
})

/** Asks for two things, one after the other, as a tool of an embedder's may. */
const survey = testTool("survey", () =>
  Effect.gen(function*() {
    const ask = yield* AskPerson
    const form = (field: string) => ({ type: "object", properties: { [field]: { type: "string" } }, required: [field] }) as const
    const name = yield* ask({ message: "Name?", form: form("name") })
    const color = yield* ask({ message: "Color?", form: form("color") })
    return { name, color }
  }))

/** One that destroys, and one that asks. */
export const askingTools = [erase as never, survey]

let unique = 0

export const thing = () => `thing${unique++}`
