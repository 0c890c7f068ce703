import type { ServiceOptions } from "../service-options.ts"
import { authenticationOf, documentPaths, serviceTexts } from "./service-texts.ts"

/** The MCP server card: what the server is and can do, for whoever has not connected yet. */
export const serverCard = <R>({ tools, version }: ServiceOptions<R>) => {
  const described = tools.map(({ description, inputSchema, name }) => ({ name, description, inputSchema }))
  return (base: string) => ({
    name: serviceTexts.name,
    version,
    description: serviceTexts.description,
    serverUrl: `${base}/mcp`,
    transport: "streamable-http",
    documentationUrl: base + documentPaths.guide,
    authentication: authenticationOf(base),
    tools: described
  })
}
