import type { EndpointDocs } from "../endpoint-docs.ts"

const status = (value: string) => ({
  "application/json": { type: "object", required: ["status"], properties: { status: { const: value } } }
})

export const healthzDocs: EndpointDocs = {
  summary: "Whether the process answers",
  responses: { 200: { description: "It does.", content: status("ok") } }
}

export const readyzDocs: EndpointDocs = {
  summary: "Whether the service can do its work",
  responses: {
    200: { description: "It can.", content: status("ready") },
    503: { description: "It is starting or stopping, or its database does not answer." }
  }
}
