import type { JsonObject } from "@coppice/core"

const failureSchema = {
  type: "object",
  required: ["code", "message"],
  properties: { code: { type: "string" }, message: { type: "string" }, hint: { type: "string" } }
}

/**
 * The schema of what a tool answers, or of the envelope in which it says why it does not: clients (those of SDK 1 among
 * them) hold both against it, and would show their user a broken server instead of the reason.
 */
export const orFailure = ({ properties, required = [], ...schema }: JsonObject): JsonObject => ({
  ...schema,
  properties: { ...(properties as object), error: failureSchema },
  anyOf: [{ required }, { required: ["error"] }]
})
