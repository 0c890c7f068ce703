/** What every document says of the service. */
export const serviceTexts = {
  name: "coppice",
  title: "Coppice",
  description: "Runs coding agents in parallel, each in a Git worktree of its own, and gives people and programs the controls."
} as const

/** Where the documents are. */
export const documentPaths = {
  authGuide: "/auth.md",
  authorizationServer: "/.well-known/oauth-authorization-server",
  guide: "/docs.md",
  openIdProvider: "/.well-known/openid-configuration",
  openapi: "/openapi.json",
  protectedResource: "/.well-known/oauth-protected-resource",
  serverCard: "/.well-known/mcp/server-card.json"
} as const

/** How to get a credential, as the server card and the description of the MCP server say it. */
export const authenticationOf = (base: string) => ({
  type: "oauth2",
  resourceMetadataUrl: base + documentPaths.protectedResource
})
