/** At most `max` requests in each window of `windowSeconds`. */
export interface Limit {
  readonly max: number
  readonly windowSeconds: number
}

/** One bucket's open window. It opens with the first request and closes `windowSeconds` later. */
export interface Window {
  readonly count: number
  readonly endsAtMillis: number
}

/** How a request stands against its limit. */
export interface Usage {
  readonly allowed: boolean
  readonly limit: Limit
  /** How many more the window admits. */
  readonly remaining: number
  /** Whole seconds until the window closes, at least 1. */
  readonly resetSeconds: number
}

/** 600 requests in 60 seconds for each credential, over both MCP paths together. */
export const mcpLimit: Limit = { max: 600, windowSeconds: 60 }

/** 300 requests a minute for each automation, whichever token it has at the time. */
export const webhookLimit: Limit = { max: 300, windowSeconds: 60 }
