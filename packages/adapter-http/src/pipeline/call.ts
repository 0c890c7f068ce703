import type { IncomingMessage, ServerResponse } from "node:http"

/** One request on its way through the pipeline. */
export interface Call {
  readonly request: Request
  /** The service's own address as the client knows it, without a slash at the end. */
  readonly base: string
  readonly params: Readonly<Record<string, string>>
}

/** One form on its way through the pipeline: its fields, without the token that let it in. */
export interface FormCall extends Call {
  readonly form: URLSearchParams
}

/** Node's own objects behind a request, where it came over a socket. */
export interface NodeExchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

export const nodeExchange = (request: Request): NodeExchange | undefined =>
  (request as { readonly runtime?: { readonly node?: NodeExchange } }).runtime?.node
