import { type Answer, AwaitsAnswer, canonicalJson, type Principal, type Question } from "@coppice/core"
import { inputResponse } from "@modelcontextprotocol/server"
import { createHash } from "node:crypto"
import { Effect } from "effect"

/** The questions of one call: what they were answered, and what is to be asked of the client next. */
export interface Questions {
  readonly ask: (question: Question) => Effect.Effect<Answer, AwaitsAnswer>
  /** The result that asks the client for the answer that a call awaits. */
  readonly inputRequired: (awaited: AwaitsAnswer) => { readonly resultType: "input_required"; readonly [key: string]: unknown }
}

type Responses = { readonly [key: string]: unknown }

const isResponses = (value: unknown): value is Responses => typeof value === "object" && value !== null && !Array.isArray(value)

/** The answers of earlier rounds, as this server gave them to the client to keep; nothing, where they are not. */
const earlierOf = (state: unknown): Responses => {
  if (typeof state !== "string") return {}
  try {
    const earlier: unknown = JSON.parse(Buffer.from(state, "base64url").toString())
    return isResponses(earlier) ? earlier : {}
  } catch {
    return {}
  }
}

/**
 * Has a call ask for what it needs by ending with `input_required`: the client makes it again with the answer. An answer
 * counts only under a key that is the hash of the caller, the call and the question, so that a "yes" to one is none to
 * another. There is nothing else in the state: whoever changes it changes their own answers, which they may.
 */
export const questionsOf = (
  { credential, organizationId, userId }: Pick<Principal, "organizationId" | "userId"> & { readonly credential: string },
  call: { readonly name: string; readonly args: unknown; readonly responses: unknown; readonly state: unknown }
): Questions => {
  const given = { ...earlierOf(call.state), ...(isResponses(call.responses) ? call.responses : {}) }
  const used: Record<string, unknown> = {}
  const asked = new Map<string, Question>()
  return {
    ask: (question) => {
      const about = [organizationId, userId, credential, call.name, call.args, question, asked.size]
      const questionKey = createHash("sha256").update(canonicalJson(about)).digest("base64url")
      asked.set(questionKey, question)
      const response = inputResponse(given, questionKey)
      if (response.kind !== "elicit") {
        return Effect.fail(new AwaitsAnswer({ message: "The person has to answer first.", questionKey }))
      }
      used[questionKey] = given[questionKey]
      const { action, content } = response
      return Effect.succeed(action === "accept" ? { action, content: content ?? {} } : { action })
    },
    inputRequired: ({ questionKey }) => {
      const { form, message } = asked.get(questionKey)!
      const request = { method: "elicitation/create", params: { mode: "form", message, requestedSchema: form } }
      return {
        resultType: "input_required",
        inputRequests: { [questionKey]: request },
        ...(Object.keys(used).length === 0 ? {} : { requestState: Buffer.from(JSON.stringify(used)).toString("base64url") })
      }
    }
  }
}
