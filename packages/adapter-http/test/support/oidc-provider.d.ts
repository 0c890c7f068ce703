// What of it the tests use: the package has no types.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http"

  interface Interaction {
    readonly params: Readonly<Record<string, unknown>>
    readonly prompt: { readonly name: string }
    readonly session?: { readonly accountId: string }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new(options: { readonly accountId: string; readonly clientId: string }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
