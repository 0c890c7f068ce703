import { Effect, Schema } from "effect"
import { PageRequest } from "../page.ts"
import { defineTool } from "../tool/tool.ts"
import { listHosts } from "./host-usecases.ts"
import { Host } from "./host.ts"

export const hostsList = defineTool({
  name: "hosts_list",
  title: "List hosts",
  description: "Lists the machines that hold worktrees and run agents, and how busy they are.",
  effects: "reads",
  input: PageRequest.fields,
  output: { hosts: Schema.Array(Host), nextCursor: Schema.optionalKey(Schema.String) },
  run: (page) => Effect.map(listHosts(page), ({ items, ...rest }) => ({ hosts: items, ...rest }))
})
