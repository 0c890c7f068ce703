import { Effect, Schema } from "effect"
import { PageRequest } from "../page.ts"
import { Name, Reference } from "../text.ts"
import { defineTool } from "../tool/tool.ts"
import { createProject, deleteProject, getProject, listProjects, updateProject } from "./project-usecases.ts"
import { BranchName, Project, Setup, Trusted } from "./project.ts"

const projectId = Reference.annotate({ description: "Id or name of the project" })
const project = { project: Project }

export const projectsList = defineTool({
  name: "projects_list",
  title: "List projects",
  description: "Lists the Git repositories that the service works on.",
  effects: "reads",
  input: PageRequest.fields,
  output: { projects: Schema.Array(Project), nextCursor: Schema.optionalKey(Schema.String) },
  run: (page) => Effect.map(listProjects(page), ({ items, ...rest }) => ({ projects: items, ...rest }))
})

export const projectsGet = defineTool({
  name: "projects_get",
  title: "Show a project",
  description: "Shows one project.",
  effects: "reads",
  input: { projectId },
  output: project,
  run: ({ projectId }) => Effect.map(getProject(projectId), (project) => ({ project }))
})

export const projectsCreate = defineTool({
  name: "projects_create",
  title: "Add a project",
  description: "Adds a Git repository, either one that lies on a host or one to clone there over https or ssh.",
  effects: "changes",
  needsAllProjects: true,
  openWorld: true,
  input: {
    name: Schema.optionalKey(Name.annotate({ description: "The repository's own name when left out" })),
    hostId: Schema.optionalKey(Reference.annotate({ description: "Id or name of the host; needed when there are several" })),
    repositoryPath: Schema.optionalKey(
      Schema.String.check(Schema.isMaxLength(4096)).annotate({ description: "Absolute path on the host" })
    ),
    repositoryUrl: Schema.optionalKey(
      Schema.String.check(Schema.isMaxLength(2048)).annotate({ description: "Where to clone from, https or ssh" })
    ),
    baseBranch: Schema.optionalKey(BranchName.annotate({ description: "What new work starts from; the default branch when left out" })),
    setup: Schema.optionalKey(Setup.annotate({ description: "What is done in each new worktree before an agent may start" })),
    trusted: Schema.optionalKey(Trusted)
  },
  output: project,
  run: (input) => Effect.map(createProject(input), (project) => ({ project }))
})

export const projectsUpdate = defineTool({
  name: "projects_update",
  title: "Change a project",
  description: "Changes a project's name, base branch, set-up commands or trust.",
  effects: "changes",
  idempotent: true,
  input: {
    projectId,
    name: Schema.optionalKey(Name.annotate({ description: "Its new name" })),
    baseBranch: Schema.optionalKey(BranchName.annotate({ description: "What new work starts from" })),
    setup: Schema.optionalKey(Schema.NullOr(Setup).annotate({ description: "New set-up commands; null for none" })),
    trusted: Schema.optionalKey(Trusted)
  },
  output: project,
  run: ({ projectId, ...patch }) => Effect.map(updateProject(projectId, patch), (project) => ({ project }))
})

export const projectsDelete = defineTool({
  name: "projects_delete",
  title: "Remove a project",
  description: "Removes a project without automations or workspaces from the service; the repository itself stays.",
  effects: "destroys",
  input: { projectId },
  output: project,
  run: ({ projectId }) => Effect.map(deleteProject(projectId), (project) => ({ project }))
})
