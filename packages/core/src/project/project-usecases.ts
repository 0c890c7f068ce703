import { DateTime, Effect, Option, Schema } from "effect"
import { CurrentPrincipal } from "../organization/principal.ts"
import { Conflict, InvalidRequest, notFound } from "../error.ts"
import { HostGateway } from "../host-gateway.ts"
import { chooseHost } from "../host/host-usecases.ts"
import { newId, ProjectId } from "../id.ts"
import type { PageRequest } from "../page.ts"
import { Name } from "../text.ts"
import { now } from "../timestamp.ts"
import { ProjectStore } from "./project-store.ts"
import type { Project, ProjectPatch, Setup } from "./project.ts"

const cloneMinutes = 30

export interface NewProject {
  readonly name?: string
  readonly hostId?: string
  readonly repositoryPath?: string
  readonly repositoryUrl?: string
  readonly baseBranch?: string
  readonly setup?: Setup
  readonly trusted?: boolean
}

const asName = Schema.decodeOption(Name)

/** The last part of a path or URL, as people call the repository, if it can be a name. */
const nameOf = (location: string): string => {
  const last = location.replace(/\/+$/, "").replace(/\.git$/, "").split(/[/:]/).at(-1) ?? ""
  return Option.getOrElse(asName(last.slice(0, 100).trim()), () => "project")
}

/** Adds a repository: one that lies on the host, or one that is cloned there. */
export const createProject = Effect.fn("createProject")(function*(input: NewProject) {
  const { organizationId } = yield* CurrentPrincipal
  const location = input.repositoryPath ?? input.repositoryUrl
  if (location === undefined || (input.repositoryPath !== undefined && input.repositoryUrl !== undefined)) {
    return yield* new InvalidRequest({
      message: "A project needs either repositoryPath or repositoryUrl.",
      hint: "repositoryPath is a folder on the host; repositoryUrl is cloned there over https or ssh."
    })
  }
  const projects = yield* ProjectStore
  const name = input.name ?? nameOf(location)
  // Asked before a clone, which takes long and would be left behind; the store has the last word.
  if ((yield* projects.get(organizationId, name)) !== undefined) {
    return yield* new Conflict({
      message: `The name "${name}" is taken by another project.`,
      hint: "Choose another name."
    })
  }
  const host = yield* chooseHost(input.hostId)
  const { repositories } = yield* (yield* HostGateway).connect(host)
  const id = yield* newId(ProjectId)
  const at = yield* now
  const repository = input.repositoryUrl === undefined
    ? yield* repositories.inspect(location)
    : yield* repositories.clone({
      projectId: id,
      url: input.repositoryUrl,
      deadline: DateTime.add(at, { minutes: cloneMinutes })
    })
  const project: Project = {
    id,
    organizationId,
    name,
    hostId: host.id,
    repositoryPath: repository.path,
    ...(input.repositoryUrl === undefined ? {} : { repositoryUrl: input.repositoryUrl }),
    baseBranch: input.baseBranch ?? repository.defaultBranch,
    ...(input.setup === undefined ? {} : { setup: input.setup }),
    trusted: input.trusted ?? false,
    createdAt: at,
    updatedAt: at
  }
  yield* projects.create(project)
  return project
})

export const getProject = Effect.fn("getProject")(function*(idOrName: string) {
  const { organizationId } = yield* CurrentPrincipal
  return (yield* (yield* ProjectStore).get(organizationId, idOrName)) ?? (yield* notFound("project", idOrName))
})

export const listProjects = Effect.fn("listProjects")(function*(page: PageRequest) {
  const { organizationId } = yield* CurrentPrincipal
  return yield* (yield* ProjectStore).list(organizationId, page)
})

export const updateProject = Effect.fn("updateProject")(function*(idOrName: string, patch: ProjectPatch) {
  const project = yield* getProject(idOrName)
  const updated = yield* (yield* ProjectStore).update(project.organizationId, project.id, patch, yield* now)
  return updated ?? (yield* notFound("project", idOrName))
})

/** Takes a project off the service. The repository itself stays where it is. */
export const deleteProject = Effect.fn("deleteProject")(function*(idOrName: string) {
  const project = yield* getProject(idOrName)
  const removed = yield* (yield* ProjectStore).remove(project.organizationId, project.id)
  return removed ? project : yield* notFound("project", idOrName)
})
