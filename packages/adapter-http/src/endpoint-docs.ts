/** JSON Schema 2020-12, which is that of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The schema of a body for each media type that it may come in. */
export type Content = { readonly [mediaType: string]: JsonSchema }

export interface ParameterDocs {
  readonly in: "header" | "query"
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  readonly required?: boolean
}

/** What only an endpoint's author can say. The rest (security, limits, failures that follow from them) is computed. */
export interface EndpointDocs {
  readonly summary: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<ParameterDocs>
  readonly request?: { readonly description?: string; readonly required: boolean; readonly content: Content }
  /** By status. Where the content of a failure is left out, it is the error envelope. */
  readonly responses: {
    readonly [status: number]: { readonly description: string; readonly content?: Content; readonly headers?: ResponseHeaders }
  }
}

export type ResponseHeaders = { readonly [name: string]: { readonly description: string; readonly schema: JsonSchema } }
