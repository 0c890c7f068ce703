import type { CurrentPrincipal, Tool } from "@coppice/core"
import type { ServiceOptions } from "../service-options.ts"
import { orFailure } from "./tool-output.ts"
import { makePromptRequests, type PromptRequests } from "./prompt-requests.ts"
import { makeResourceRequests, type ResourceRequests } from "./resource-requests.ts"

/** What every revision of MCP shows of the service. */
export interface Surface<R> {
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string }
  readonly instructions: string
  readonly tool: (name: string) => Tool<R | CurrentPrincipal> | undefined
  readonly prompts: PromptRequests<R>
  readonly resources: ResourceRequests<R>
  /** One page, in the catalogue's order: everything, or what is in the toolsets that the address asks for. */
  readonly describeTools: (toolsets: ReadonlySet<string>) => ReadonlyArray<object>
}

export const makeSurface = <R>(service: ServiceOptions<R>): Surface<R> => {
  const { instructions, tools, version } = service
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const described = tools.map(({ annotations, description, inputSchema, name, outputSchema, title, toolset }) => ({
    toolset,
    tool: { name, title, description, inputSchema, outputSchema: orFailure(outputSchema), annotations }
  }))
  return {
    serverInfo: { name: "coppice", title: "Coppice", version },
    instructions,
    tool: (name) => byName.get(name),
    prompts: makePromptRequests(service),
    resources: makeResourceRequests(service),
    describeTools: (toolsets) =>
      described.filter(({ toolset }) => toolsets.size === 0 || toolsets.has(toolset)).map(({ tool }) => tool)
  }
}

/** The toolsets that a request's address narrows the tools to; none for all. */
export const toolsetsOf = (request: Request): ReadonlySet<string> =>
  new Set(
    request.url.includes("?")
      ? new URL(request.url).searchParams.getAll("toolsets").flatMap((list) => list.split(",")).filter(Boolean)
      : []
  )
