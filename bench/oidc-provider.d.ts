// What is used of it; it brings no types.
declare module "oidc-provider" {
  import type { RequestListener } from "node:http"

  interface Model {
    save(ttlSeconds?: number): Promise<string>
  }
  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
    readonly Client: { find(id: string): Promise<object | undefined> }
    readonly AuthorizationCode: new(fields: object) => Model
    readonly Grant: new(fields: object) => Model & { addOIDCScope(scope: string): void }
  }
}
