import { discovery, authorizationServer, protectedResource, serverCard } from "./requirements/discovery.ts"
import { errorEnvelope, oauthErrorEnvelope } from "./requirements/error.ts"
import { jsonRpcRequest, jsonRpcResponse } from "./requirements/json-rpc.ts"
import { events, limits, versioning } from "./requirements/limit.ts"
import { mcpEndpoint, mcpErrors } from "./requirements/mcp.ts"
import { authentication, authorization, registration, revocation, token, userinfo } from "./requirements/oauth.ts"
import { service } from "./requirements/service.ts"
import { webhookEndpoint, webhookRecord, webhookState } from "./requirements/webhook.ts"

/** The whole interface document, as data: every sentence and every table row that states behaviour. */
export const requirements = [
  ...service,
  ...errorEnvelope,
  ...oauthErrorEnvelope,
  ...jsonRpcRequest,
  ...jsonRpcResponse,
  ...registration,
  ...authorization,
  ...token,
  ...revocation,
  ...userinfo,
  ...protectedResource,
  ...authorizationServer,
  ...serverCard,
  ...webhookRecord,
  ...webhookState,
  ...mcpEndpoint,
  ...discovery,
  ...webhookEndpoint,
  ...authentication,
  ...events,
  ...mcpErrors,
  ...limits,
  ...versioning
]

/** The id of a requirement, as `webhook.body-over-1-mib-413`. */
export type RequirementId = (typeof requirements)[number]["id"]
