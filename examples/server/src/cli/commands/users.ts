import { type Command, given } from "../command.ts"
import { relative } from "../text.ts"

export const usersCreate: Command = {
  name: "users create",
  summary: "Add a user; the first one founds the organization and owns it",
  asNobody: true,
  options: {
    email: { value: "EMAIL", required: true, about: "The user's e-mail address" },
    name: { value: "NAME", about: "What people call the user; the first part of the address when left out" },
    role: { value: "admin|member", about: "What the user may do; member when left out" },
    organization: { value: "NAME", about: "The organization to join, or to found when there is none of that name" }
  },
  run: async ({ input, session }) => {
    const json = await session.call("users_create", given({
      email: input.text("email"),
      name: input.text("name"),
      role: input.text("role"),
      organizationName: input.text("organization")
    }))
    const { member, organization, passwordUrl, user } = json
    const next = member.role === "owner"
      ? `\nA key for programs: npm run coppice -- keys create --name my-client --user ${user.email}`
      : ""
    return {
      json,
      text: `${user.email} is ${member.role} of the organization "${organization.name}".\n`
        + `To sign in, they set a password with this link, which works once:\n  ${passwordUrl}${next}`
    }
  }
}

export const usersPasswordLink: Command = {
  name: "users password-link",
  summary: "Print a link by which a user sets a password; it works once",
  asNobody: true,
  options: { email: { value: "EMAIL", required: true, about: "The user's e-mail address" } },
  run: async ({ input, session }) => {
    const json = await session.call("users_password_link", { email: input.text("email") })
    return { json, text: `${json.url}\n\nIt works once, and until ${relative(json.expiresAt)}.` }
  }
}
