import type { Resource } from "./resource/resource.ts"
import { runPayloadResource, runResource, runTranscriptResource } from "./run/run-resources.ts"
import { workspaceDiffResource } from "./workspace/workspace-resources.ts"

const resources = [runResource, runTranscriptResource, runPayloadResource, workspaceDiffResource] as const

type ServicesOf<Kind> = Kind extends Resource<infer R> ? R : never

/** What the resources need, all together: the principal of the call, and the ports. */
export type ResourceServices = ServicesOf<(typeof resources)[number]>

/** Every resource, in the order in which clients see them. */
export const resourceCatalog: ReadonlyArray<Resource<ResourceServices>> = resources
