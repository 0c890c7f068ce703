import type { Limit } from "@coppice/core"
import { type DocumentedEndpoint, type Endpoint, isDocumented } from "../endpoint.ts"
import { noticeDays } from "../pipeline/versioning-policy.ts"
import type { ServiceOptions } from "../service-options.ts"
import { documentPaths, serviceTexts } from "./service-texts.ts"

const credentials = { public: "none", bearer: "access token or API key", visitor: "a person in a browser", webhook: "the automation's webhook token" } as const

const rate = (limit: Limit | undefined): string =>
  limit === undefined ? "" : `${limit.max} requests in ${limit.windowSeconds} s`

const row = (...cells: ReadonlyArray<string>): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const endpointRow = <R>(endpoint: DocumentedEndpoint<R>): string => {
  const { docs, paths, security } = endpoint
  const addresses = paths.map((path) => `\`${path.replace(/:(\w+)/g, "<$1>")}\``).join(", ")
  if ("removed" in endpoint) {
    return row("any", addresses, `${docs.summary}: removed, use \`${endpoint.removed.replacement}\``, credentials[security], "")
  }
  const gone = endpoint.deprecated === undefined ? "" : ` (deprecated: use \`${endpoint.deprecated.successor}\`)`
  const limit = "limit" in endpoint ? rate(endpoint.limit) : ""
  return row(endpoint.method, addresses, docs.summary + gone, credentials[security], limit)
}

/** An MCP client's settings, as most of them are written. */
const clientSettings = (base: string, more: object = {}) => ({
  mcpServers: { coppice: { type: "http", url: `${base}/mcp`, ...more } }
})

/** How to use the service, for people and for agents: Markdown, computed from both catalogues. */
export const guide = <R>(catalog: ReadonlyArray<Endpoint<R>>, { resources, tools, version }: ServiceOptions<R>, base: string): string =>
  [
    `# ${serviceTexts.title} ${version}`,
    "",
    serviceTexts.description,
    "",
    "## Connect",
    "",
    `An MCP client connects to \`${base}/mcp\` (Streamable HTTP). Most need nothing but that address: they find the authorization`,
    "server by themselves, open a browser in which a person approves, and go on with what they are given.",
    "",
    "```json",
    JSON.stringify(clientSettings(base), null, 2),
    "```",
    "",
    "Where no person can be asked, the client sends an API key, which people make in the app:",
    "",
    "```json",
    JSON.stringify(clientSettings(base, { headers: { Authorization: "Bearer <API key>" } }), null, 2),
    "```",
    "",
    `A program that does it all by itself goes by [auth.md](${base}${documentPaths.authGuide}).`,
    "",
    "A webhook starts a run of an automation with the body in the agent's prompt:",
    "",
    "```sh",
    `curl -X POST ${base}/api/automations/webhook/<automationId> \\`,
    "  -H 'Authorization: Bearer <webhook token>' -H 'Content-Type: application/json' -d '{}'",
    "```",
    "",
    "## Addresses",
    "",
    row("method", "address", "", "credential", "limit"),
    "|---|---|---|---|---|",
    ...catalog.filter(isDocumented).map(endpointRow),
    "",
    `Schemas: [OpenAPI](${base}${documentPaths.openapi}).`,
    `Tools with their schemas: [server card](${base}${documentPaths.serverCard}).`,
    "",
    "A failure is `{ \"error\": { \"code\", \"message\", \"hint\"? } }`. Go by the code; the hint says what to do. A 429 says in",
    "`Retry-After` for how many seconds to wait. The token and revocation endpoints answer `{ \"error\", \"error_description\"? }`, as OAuth has it.",
    "",
    "## Tools",
    "",
    row("tool", ""),
    "|---|---|",
    ...tools.map(({ description, name }) => row(`\`${name}\``, description)),
    "",
    ...(resources.length === 0 ? [] : [
      "## Resources",
      "",
      "What an MCP client can read by its address.",
      "",
      row("address", "media type", ""),
      "|---|---|---|",
      ...resources.map(({ description, mimeType, uri }) => row(`\`${uri}\``, mimeType, description)),
      ""
    ]),
    "## Versions",
    "",
    "A breaking change comes under a new path. What is deprecated says so in `Deprecation` and `Sunset`, and is served for",
    `at least ${noticeDays} days more. What is removed answers 410, with its replacement in the hint.`,
    ""
  ].join("\n")
