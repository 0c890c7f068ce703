import { type CurrentPrincipal, toolCatalog, type ToolServices } from "@coppice/core"
import type { Context } from "effect"
import { expect, it } from "vitest"
import { createHttpApp, type HttpPorts } from "../src/index.ts"

it("takes core's tool catalogue, given the ports that it needs", () => {
  // Only the types are at stake: nothing below reaches a port.
  const context = undefined as never as Context.Context<Exclude<ToolServices, CurrentPrincipal> | HttpPorts>
  expect(() => createHttpApp({ context, tools: toolCatalog, version: "1.0.0" })).not.toThrow()
})
