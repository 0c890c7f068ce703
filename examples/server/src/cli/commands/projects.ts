import { type Command, given, UsageError } from "../command.ts"
import { callerPath } from "../caller-path.ts"
import { table } from "../text.ts"
import { listAll } from "./lists.ts"

const setupCommand = (text: string): unknown => {
  try {
    const command: unknown = JSON.parse(text)
    if (Array.isArray(command) && command.every((part) => typeof part === "string")) return command
  } catch {
    // Said below.
  }
  throw new UsageError(`--setup takes a JSON array of strings, as '["npm","ci"]', and ${text} is none.`)
}

export const projectsAdd: Command = {
  name: "projects add",
  summary: "Add a Git repository for agents to work on",
  positionals: [{ name: "PATH", about: "the repository's folder" }],
  options: {
    name: { value: "NAME", about: "What to call it; the folder's name when left out" },
    "base-branch": { value: "BRANCH", about: "What new work starts from; the branch that is checked out when left out" },
    trusted: { about: "The repository's own Git configuration may name programs to run (hooks, filters)" },
    setup: { value: "'[\"npm\",\"ci\"]'", multiple: true, about: "A command to run in each new worktree, as a JSON array" }
  },
  run: async ({ input, session }) => {
    const commands = input.texts("setup").map(setupCommand)
    const json = await session.call("projects_create", given({
      repositoryPath: callerPath(input.positionals[0]!),
      name: input.text("name"),
      baseBranch: input.text("base-branch"),
      trusted: input.has("trusted") || undefined,
      setup: commands.length === 0 ? undefined : { commands }
    }))
    const { project } = json
    return { json, text: `The project "${project.name}" is ${project.repositoryPath}, and work starts from ${project.baseBranch}.` }
  }
}

export const projectsList: Command = {
  name: "projects list",
  summary: "List the projects",
  run: async ({ session }) => {
    const projects = await listAll(session, "projects_list", "projects")
    return {
      json: { projects },
      text: projects.length === 0
        ? "There is no project. Add one: npm run coppice -- projects add PATH"
        : table(["ID", "NAME", "BASE", "REPOSITORY"], projects.map((project) =>
          [project.id, project.name, project.baseBranch, project.repositoryPath]))
    }
  }
}
