import { knownScopes } from "@coppice/core"
import { documentPaths, serviceTexts } from "./service-texts.ts"

/**
 * Metadata of a protected resource (RFC 9728). All scopes are listed, offline_access too: clients that copy the list would
 * never refresh otherwise.
 */
export const protectedResource = (path: string) => (base: string) => ({
  resource: base + path,
  authorization_servers: [base],
  scopes_supported: knownScopes,
  bearer_methods_supported: ["header"],
  resource_name: serviceTexts.title,
  resource_documentation: base + documentPaths.guide
})
