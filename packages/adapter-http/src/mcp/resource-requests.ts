import {
  type CurrentPrincipal,
  isTemplate,
  listResources,
  type Resource,
  resourceParameters,
  type ResourceParameters
} from "@coppice/core"
import { Effect } from "effect"
import { RpcFailure, rpcCode } from "../errors/json-rpc-error.ts"
import type { ServiceOptions } from "../service-options.ts"
import { makeGuard } from "./rpc-guard.ts"

/** A resource of the catalogue, with what its template's names stand for in an address. */
export interface FoundResource<R> {
  readonly resource: Resource<R>
  readonly parameters: ResourceParameters
}

/** The contents of one resource, as every revision of MCP has them. */
interface Contents {
  readonly [key: string]: unknown
  readonly contents: Array<{ uri: string; mimeType: string; text: string } | { uri: string; mimeType: string; blob: string }>
}

/** What MCP's requests for resources do, in every revision. */
export const makeResourceRequests = <R>({ isOutage, resources }: ServiceOptions<R>) => {
  type Services = R | CurrentPrincipal
  const templates = resources.filter(({ uri }) => isTemplate(uri)).map(({ description, mimeType, name, title, uri }) => ({
    uriTemplate: uri,
    name,
    title,
    description,
    mimeType
  }))

  const guarded = makeGuard(isOutage)

  const find = (uri: string): FoundResource<Services> | undefined => {
    for (const resource of resources) {
      const parameters = resourceParameters(resource.uri, uri)
      if (parameters !== undefined) return { resource, parameters }
    }
  }

  /** What a subscription is to begin from. `notFound` makes the error that the revision has for it. */
  const revisionOf = (uri: string, notFound: (uri: string) => RpcFailure): Effect.Effect<string, RpcFailure, Services> =>
    guarded(Effect.gen(function*() {
      const found = find(uri)
      if (found === undefined) return yield* Effect.fail(notFound(uri))
      const { parameters, resource: { watch } } = found
      if (watch === undefined) {
        return yield* Effect.fail(new RpcFailure(rpcCode.invalidParams, `This resource cannot be subscribed to: ${uri}`))
      }
      const { revision } = yield* Effect.mapError(watch.revision(parameters), (failure) =>
        failure.code === "NOT_FOUND" ? notFound(uri) : failure)
      return revision
    }))

  const someWatched = resources.some(({ watch }) => watch !== undefined)

  return {
    /** Whether there are any, so that clients may be told of them. */
    some: resources.length > 0,
    /** Whether any can be subscribed to. */
    someWatched,
    /** What the server says that it can do. */
    capability: resources.length === 0 ? {} : { resources: someWatched ? { subscribe: true } : {} },
    templates,
    find,
    guarded,
    revisionOf,
    list: (cursor: string | undefined): Effect.Effect<{ resources: Array<object>; nextCursor?: string }, RpcFailure, Services> =>
      guarded(Effect.map(listResources(resources, cursor), ({ items, ...rest }) => ({ resources: [...items], ...rest }))),
    /** `notFound` makes the error that the revision has for it. */
    read: (uri: string, notFound: (uri: string) => RpcFailure): Effect.Effect<Contents, RpcFailure, Services> =>
      guarded(Effect.gen(function*() {
        const found = find(uri)
        if (found === undefined) return yield* Effect.fail(notFound(uri))
        const { parameters, resource } = found
        const content = yield* Effect.mapError(resource.read(parameters), (failure) =>
          failure.code === "NOT_FOUND" ? notFound(uri) : failure)
        const { mimeType } = resource
        return {
          contents: [
            typeof content === "string"
              ? { uri, mimeType, text: content }
              : { uri, mimeType, blob: Buffer.from(content).toString("base64") }
          ]
        }
      }))
  }
}

export type ResourceRequests<R> = ReturnType<typeof makeResourceRequests<R>>
