import { Effect, Schema } from "effect"
import { PageRequest } from "../page.ts"
import { defineTool } from "../tool/tool.ts"
import { listMembers } from "./organization-usecases.ts"
import { Member } from "./organization.ts"

export const organizationMembersList = defineTool({
  name: "organization_members_list",
  title: "List members",
  description: "Lists the members of your organization with their roles.",
  effects: "reads",
  input: PageRequest.fields,
  output: { members: Schema.Array(Member), nextCursor: Schema.optionalKey(Schema.String) },
  run: (page) => Effect.map(listMembers(page), ({ items, ...rest }) => ({ members: items, ...rest }))
})
