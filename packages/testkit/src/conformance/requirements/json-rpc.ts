import { section } from "../requirement.ts"

export const jsonRpcRequest = section("JSON-RPC request", {
  "json-rpc.request-version": ["built", "jsonrpc is required and the constant 2.0."],
  "json-rpc.request-id": ["built", "id is a string or a number."],
  "json-rpc.notification-has-no-id": ["built", "A request without an id is a notification."],
  "json-rpc.request-method": ["built", "method is a required string, e.g. initialize, tools/list, tools/call."],
  "json-rpc.request-params": ["built", "params is an optional object; for tools/call it holds name and arguments."]
})

export const jsonRpcResponse = section("JSON-RPC response", {
  "json-rpc.response-version": ["built", "jsonrpc is required and the constant 2.0."],
  "json-rpc.response-echoes-id": ["built", "id echoes the request's id, string or number."],
  "json-rpc.response-result": ["built", "result holds the free-form answer."],
  "json-rpc.response-error": ["built", "error has an integer code and a string message, and data if any."]
})
