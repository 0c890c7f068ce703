import { withinProjects } from "./access/within-projects.ts"
import type { Resource } from "./resource/resource.ts"
import { runPayloadResource, runResource, runTranscriptResource } from "./run/run-resources.ts"
import { workspaceDiffResource } from "./workspace/workspace-resources.ts"

const resources = [runResource, runTranscriptResource, runPayloadResource, workspaceDiffResource] as const

type ServicesOf<Kind> = Kind extends Resource<infer R> ? R : never

/** What the resources need, all together: the principal of the call, and the ports. */
export type ResourceServices = ServicesOf<(typeof resources)[number]>

const bound = ({ list, watch, ...resource }: Resource<ResourceServices>): Resource<ResourceServices> => ({
  ...resource,
  read: (parameters) => withinProjects(resource.read(parameters)),
  ...list === undefined ? {} : { list: (page) => withinProjects(list(page)) },
  ...watch === undefined ? {} : { watch: { ...watch, revision: (parameters) => withinProjects(watch.revision(parameters)) } }
})

/** Every resource, in the order in which clients see them, each within the projects of whoever asks for it. */
export const resourceCatalog: ReadonlyArray<Resource<ResourceServices>> = resources.map(bound)
