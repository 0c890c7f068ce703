import { Effect } from "effect"
import type { Page, PageRequest } from "../page.ts"
import type { ProjectId } from "../id.ts"
import { visiblePage } from "./visible-page.ts"

/** Which projects can be seen, and what of theirs. */
export interface View {
  readonly projectIds: ReadonlySet<ProjectId>
  /** The filter that spares a list the rest, where one project is all. */
  readonly only: { readonly projectId?: ProjectId }
}

interface OfProject {
  readonly projectId: ProjectId
}

export const makeView = (projectIds: ReadonlyArray<ProjectId>): View => {
  const [projectId] = projectIds
  return { projectIds: new Set(projectIds), only: projectIds.length === 1 && projectId !== undefined ? { projectId } : {} }
}

export const sees = (view: View) => ({ projectId }: OfProject): boolean => view.projectIds.has(projectId)

/** What was found, if it can be seen. */
export const seen = <A extends OfProject, E, R>(view: View, found: Effect.Effect<A | undefined, E, R>) =>
  Effect.map(found, (record) => record !== undefined && sees(view)(record) ? record : undefined)

/** Does something to what can be seen, and else answers as where there is nothing. */
export const ifSeen = <A, E, R, const Nothing, E2, R2>(
  visible: Effect.Effect<unknown, E, R>,
  act: () => Effect.Effect<A, E2, R2>,
  nothing: Nothing
): Effect.Effect<A | Nothing, E | E2, R | R2> =>
  Effect.flatMap(visible, (found): Effect.Effect<A | Nothing, E2, R2> =>
    found === undefined ? Effect.succeed(nothing) : act())

/** A page of what can be seen of a list of records of projects. */
export const seenPage = <A extends OfProject, E, R>(
  view: View,
  page: PageRequest,
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>
) => visiblePage(page, list, sees(view))

/** For what no use case on behalf of such a credential ever asks: a mistake of ours, and nothing is done. */
export const outside: Effect.Effect<never> = Effect.die(new Error("This is not for a credential of some projects"))
