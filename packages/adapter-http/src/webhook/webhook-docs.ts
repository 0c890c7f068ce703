import type { EndpointDocs } from "../endpoint-docs.ts"

export const webhookDocs: EndpointDocs = {
  summary: "Start a run of an automation",
  description: "Each accepted POST is one run. The body is placed into the agent's prompt.",
  request: {
    description: "A JSON object or array. An empty body counts as {}.",
    required: false,
    content: { "application/json": { type: ["object", "array"] } }
  },
  responses: {
    200: {
      description: "The run is stored and queued.",
      content: {
        "application/json": {
          type: "object",
          required: ["runId", "status"],
          properties: { runId: { type: "string" }, status: { const: "queued" } }
        }
      }
    },
    400: { description: "The automation is paused, or the body is not a JSON object or array." }
  }
}
