import { type Answer, AskPerson, AwaitsAnswer, canonicalJson, credentialOf, CurrentPrincipal, type Question } from "@coppice/core"
import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, inputResponse } from "@modelcontextprotocol/server"
import { createHash } from "node:crypto"
import { Effect } from "effect"

type InputRequired = { readonly resultType: "input_required"; readonly [key: string]: unknown }

/** What the SDK knows of a request that may ask for something. */
interface Asking {
  readonly envelope?: unknown
  readonly inputResponses?: unknown
  readonly requestState: () => unknown
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

/** Whether a client can have a person fill in a form; where it names no way, that is the one. */
const elicits = (envelope: unknown): boolean => {
  const { elicitation } = (envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

interface Envelope {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities
}

/**
 * Has a call ask for what it needs by ending with `input_required`: the client makes it again with the answer. An answer
 * to what has no name counts only under a key that is the hash of the caller, the call and the question, so that a "yes"
 * to one is none to another. There is nothing in the state but earlier answers: whoever changes it changes their own.
 */
export const withQuestions = (
  request: Asking,
  call: readonly [method: string, name: string, args: unknown]
) =>
<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | InputRequired, Exclude<E, AwaitsAnswer>, R | CurrentPrincipal> =>
  Effect.gen(function*() {
    const principal = yield* CurrentPrincipal
    const caller = [principal.organizationId, principal.userId, credentialOf(principal)]
    const { inputResponses } = request
    const given = { ...earlierOf(request.requestState()), ...(isResponses(inputResponses) ? inputResponses : {}) }
    const used: Record<string, unknown> = {}
    const asked = new Map<string, Question>()

    const ask = (question: Question): Effect.Effect<Answer, AwaitsAnswer> => {
      const about = canonicalJson([caller, call, question, asked.size])
      const questionKey = question.name ?? createHash("sha256").update(about).digest("base64url")
      asked.set(questionKey, question)
      const response = inputResponse(given, questionKey)
      if (response.kind !== "elicit") {
        return Effect.fail(new AwaitsAnswer({ message: "The person has to answer first.", questionKey }))
      }
      used[questionKey] = given[questionKey]
      const { action, content } = response
      return Effect.succeed(action === "accept" ? { action, content: content ?? {} } : { action })
    }

    const inputRequired = ({ questionKey }: AwaitsAnswer): InputRequired => {
      const { form, message } = asked.get(questionKey)!
      const params = { mode: "form", message, requestedSchema: form }
      return {
        resultType: "input_required",
        inputRequests: { [questionKey]: { method: "elicitation/create", params } },
        ...(Object.keys(used).length === 0 ? {} : { requestState: Buffer.from(JSON.stringify(used)).toString("base64url") })
      }
    }
    const asking = elicits(request.envelope) ? Effect.provideService(effect, AskPerson, ask) : effect
    return yield* Effect.catch(asking, (error) =>
      error instanceof AwaitsAnswer ? Effect.succeed(inputRequired(error)) : Effect.fail(error as Exclude<E, AwaitsAnswer>))
  })
