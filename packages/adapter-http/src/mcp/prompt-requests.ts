import { AwaitsAnswer, type CurrentPrincipal, type PromptMessage } from "@coppice/core"
import { Effect } from "effect"
import { RpcFailure, rpcCode } from "../errors/json-rpc-error.ts"
import type { ServiceOptions } from "../service-options.ts"
import { makeGuard } from "./rpc-guard.ts"

interface PromptResult {
  readonly [key: string]: unknown
  readonly description: string
  readonly messages: ReadonlyArray<PromptMessage>
}

/** What MCP's requests for prompts do, in every revision. */
export const makePromptRequests = <R>({ isOutage, prompts }: ServiceOptions<R>) => {
  const guard = makeGuard(isOutage)
  const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]))
  return {
    capability: prompts.length === 0 ? {} : { prompts: {} },
    /** One page: they are few. */
    described: prompts.map(({ arguments: args, description, name, title }) => ({ name, title, description, arguments: args })),
    get: (
      name: string,
      args: { readonly [name: string]: string } = {}
    ): Effect.Effect<PromptResult, RpcFailure | AwaitsAnswer, R | CurrentPrincipal> =>
      Effect.suspend(() => {
        const prompt = byName.get(name)
        if (prompt === undefined) return Effect.fail(new RpcFailure(rpcCode.invalidParams, `Unknown prompt: ${name}`))
        const missing = prompt.arguments.find((each) => each.required && args[each.name] === undefined)
        if (missing !== undefined) {
          return Effect.fail(new RpcFailure(rpcCode.invalidParams, `The prompt ${name} needs the argument ${missing.name}.`))
        }
        return guard(Effect.map(prompt.get(args), (messages) => ({ description: prompt.description, messages })))
      })
  }
}

export type PromptRequests<R> = ReturnType<typeof makePromptRequests<R>>
