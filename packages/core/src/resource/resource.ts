import type { Effect, Stream } from "effect"
import type { Page, PageRequest } from "../page.ts"
import type { ToolFailure } from "../tool/tool.ts"

/** What stands in an address where its template has names. */
export type ResourceParameters<Name extends string = string> = { readonly [name in Name]: string }

/** A resource as lists show it. */
export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  /** ISO 8601. */
  readonly lastModified?: string
}

/** How it is found out that a resource has changed. */
export interface ResourceWatch<R> {
  /** A text that is another one whenever the resource has changed; `final` once it never will again. */
  readonly revision: (
    parameters: ResourceParameters
  ) => Effect.Effect<{ readonly revision: string; readonly final: boolean }, ToolFailure, R>
  /** Emits when some resource of this kind may have changed. They are looked at from time to time besides. */
  readonly changes: Stream.Stream<void, never, R>
}

/** What a client can read by its address, or a kind of such things. */
export interface Resource<R = never> {
  /** The address, or a template of many: `{name}` stands for one segment of it (RFC 6570 level 1). */
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  /** The content, as text or as bytes. */
  readonly read: (parameters: ResourceParameters) => Effect.Effect<string | Uint8Array, ToolFailure, R>
  /** Those that a template stands for. Where it is left out, they are read by whoever knows their address. */
  readonly list?: (page: PageRequest) => Effect.Effect<Page<ListedResource>, ToolFailure, R>
  /** One that has it can be subscribed to. */
  readonly watch?: ResourceWatch<R>
}

type NameIn<Uri extends string> = Uri extends `${string}{${infer Name}}${infer Rest}` ? Name | NameIn<Rest> : never

interface Declaration<Name extends string, R> extends Omit<Resource<R>, "uri" | "read" | "watch"> {
  readonly read: (parameters: ResourceParameters<Name>) => ReturnType<Resource<R>["read"]>
  readonly watch?: {
    readonly revision: (parameters: ResourceParameters<Name>) => ReturnType<ResourceWatch<R>["revision"]>
    readonly changes: Stream.Stream<void, never, R>
  }
}

type ServicesOf<Part> = Part extends (...args: never) => Effect.Effect<unknown, unknown, infer R> ? R
  : Part extends { readonly revision: infer Revision; readonly changes: Stream.Stream<void, never, infer R> }
    ? ServicesOf<Revision> | R
  : never

/** Declares a resource; its functions get the names that stand in its address. */
export const defineResource = <const Uri extends string, D extends Declaration<NameIn<Uri>, unknown>>(
  declaration: { readonly uri: Uri } & D
): Resource<ServicesOf<D["read"]> | ServicesOf<D["list"]> | ServicesOf<D["watch"]>> =>
  declaration as unknown as Resource<never>

export const isTemplate = (uri: string): boolean => uri.includes("{")

const escaped = (literal: string): string => literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

const patterns = new Map<string, RegExp>()

const patternOf = (template: string): RegExp => {
  const known = patterns.get(template)
  if (known !== undefined) return known
  const parts = template.split(/(\{\w+\})/)
  const source = parts.map((part) => part.startsWith("{") ? `(?<${part.slice(1, -1)}>[^/?#]+)` : escaped(part)).join("")
  const pattern = new RegExp(`^${source}$`)
  patterns.set(template, pattern)
  return pattern
}

/** What an address has where the template has names; `undefined` when it is none of the template's. */
export const resourceParameters = (template: string, uri: string): ResourceParameters | undefined => {
  const match = patternOf(template).exec(uri)
  if (match === null) return undefined
  try {
    return Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)])
    )
  } catch {
    return undefined
  }
}
