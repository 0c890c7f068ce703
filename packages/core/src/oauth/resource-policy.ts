/** The paths of the MCP server, each of which clients name as the resource that they want a token for. */
export const resourcePaths = ["/mcp", "/api/v2/agent/mcp"] as const

/**
 * The resource that a token is for: the service at the address that it is called by, however the client spells that
 * (RFC 8707). `undefined` when any of what is asked for is somebody else's.
 */
export const resourceFor = (requested: ReadonlyArray<string>, base: string): string | undefined => {
  const own = new Set([base, `${base}/`, ...resourcePaths.map((path) => base + path)])
  return requested.every((resource) => own.has(resource)) ? base : undefined
}
