import { expect, it } from "vitest"
import { negotiate } from "../src/mcp/accept.ts"

it.each([
  [null, "either"],
  ["", "either"],
  ["*/*", "either"],
  ["application/*", "json"],
  ["application/json", "json"],
  ["Application/JSON; charset=utf-8", "json"],
  ["application/json, text/event-stream", "either"],
  ["text/event-stream, application/json", "either"],
  ["text/event-stream", "event-stream"],
  ["text/event-stream, */*;q=0.1", "event-stream"],
  ["application/json;q=0.3, text/event-stream;q=0.4", "event-stream"],
  ["application/json;q=0, */*", "event-stream"],
  ["text/html", undefined],
  ["application/json;q=0", undefined],
  ["application/json;q=nonsense", undefined]
])("answers Accept %s in the form %s", (accept, form) => {
  expect(negotiate(accept)).toBe(form)
})
