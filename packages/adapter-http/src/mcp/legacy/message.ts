import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js"
import { Predicate } from "effect"
import { jsonRpcError, type JsonRpcErrorResponse, rpcCode } from "../../errors/json-rpc-error.ts"

/** What one JSON-RPC message turned out to be. */
export type Incoming =
  | { readonly _tag: "Request"; readonly message: JSONRPCRequest }
  /** Accepted, and never answered. */
  | { readonly _tag: "Notification"; readonly method: string; readonly params: { readonly [key: string]: unknown } }
  /** To something that the server asked. */
  | { readonly _tag: "Response"; readonly id: string | number; readonly response: object }
  | { readonly _tag: "Bad"; readonly error: JsonRpcErrorResponse }

const bad = (id: string | number | null, code: number, message: string): Incoming => ({
  _tag: "Bad",
  error: jsonRpcError(id, code, message)
})

const isId = (value: unknown): value is string | number => typeof value === "string" || Number.isSafeInteger(value)

/** Reads one JSON-RPC 2.0 message, as MCP narrows it: ids are strings or whole numbers, `params` is an object. */
export const readMessage = (value: unknown): Incoming => {
  if (!Predicate.isObject(value)) return bad(null, rpcCode.invalidRequest, "A JSON-RPC message is an object.")
  const { id, jsonrpc, method, params } = value as { readonly [key: string]: unknown }
  const knownId = isId(id) ? id : null
  if (jsonrpc !== "2.0") return bad(knownId, rpcCode.invalidRequest, "\"jsonrpc\" must be \"2.0\".")
  if (method === undefined && ("result" in value || "error" in value)) {
    return { _tag: "Response", id: knownId ?? "", response: "result" in value ? { result: value.result } : { error: value.error } }
  }
  if (typeof method !== "string") return bad(knownId, rpcCode.invalidRequest, "\"method\" must be a string.")
  if (params !== undefined && !Predicate.isObject(params)) {
    return bad(knownId, rpcCode.invalidRequest, "\"params\" must be an object.")
  }
  if (!("id" in value)) return { _tag: "Notification", method, params: (params ?? {}) as { readonly [key: string]: unknown } }
  if (!isId(id)) return bad(null, rpcCode.invalidRequest, "\"id\" must be a string or a whole number.")
  return { _tag: "Request", message: params === undefined ? { jsonrpc, id, method } : { jsonrpc, id, method, params } }
}
