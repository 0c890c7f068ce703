import {
  type Automation,
  createAutomation,
  createProject,
  CurrentPrincipal,
  getRun,
  type NewAutomation,
  newId,
  now,
  type Principal,
  type Project,
  registerHost,
  type Run,
  startRun,
  type Workspace,
  WorkspaceId
} from "@coppice/core"
import { WorkspaceStore } from "@coppice/core/ports"
import type { MemoryStores } from "@coppice/testkit/memory"
import { exits } from "@coppice/testkit/fake"
import { Effect } from "effect"
import type { HttpPorts } from "../../src/index.ts"
import { addPerson, makeBrowser } from "./browser.ts"
import type { MatrixContext } from "./matrix.ts"

const password = "correct horse battery"

let people = 0

/** A person who is signed in, as the owner of an organization of their own, with a host and, unless it is left out, a project. */
export const makePlace = async (context: MatrixContext, { project: wanted = true } = {}) => {
  const { host, runtime } = context
  const number = ++people
  const email = `person${number}@example.com`
  const user = await addPerson(context, email, password)
  const organizationId = user.activeOrganizationId
  const principal: Principal = { organizationId, userId: user.id, role: "owner" }
  const as = <A, E>(effect: Effect.Effect<A, E, HttpPorts | MemoryStores | CurrentPrincipal>): Promise<A> =>
    runtime.runPromise(Effect.provideService(effect, CurrentPrincipal, principal) as Effect.Effect<A, E, HttpPorts | MemoryStores>)
  const repositoryPath = `/code/shop${number}`
  host.addRepository(repositoryPath)
  host.script("reviewer", exits(0), { name: "Reviewer" })
  await as(registerHost(organizationId, {
    machineId: host.machineId,
    name: "fake host",
    platform: "linux-x64",
    agents: ["reviewer"],
    maxConcurrentRuns: 4
  }))
  const project = wanted ? await as(createProject({ repositoryPath })) : undefined as never as Project
  const browser = makeBrowser(context)
  await browser.login(email, password)
  const automate = (input: Partial<NewAutomation> = {}): Promise<Automation> =>
    as(createAutomation({ name: "Nightly", prompt: "Review it.", agent: "reviewer", projectId: project.id, ...input }))
  const run = (automation: Automation, payload?: unknown): Promise<Run> => as(startRun(automation.id, payload))
  const runNow = (id: string): Promise<Run> => as(getRun(id))
  const workspaceOf = (project: Project, name: string): Promise<Workspace> =>
    as(Effect.gen(function*() {
      const at = yield* now
      const workspace: Workspace = {
        id: yield* newId(WorkspaceId),
        organizationId,
        name,
        projectId: project.id,
        hostId: project.hostId,
        status: "ready",
        branch: `coppice/${name}`,
        baseBranch: "main",
        createdAt: at,
        updatedAt: at
      }
      yield* (yield* WorkspaceStore).create(workspace)
      return workspace
    }))
  /** The page's text, with the status that it came with. */
  const page = async (path: string) => {
    const response = await browser.get(path)
    return { status: response.status, html: await response.text(), location: response.headers.get("location") }
  }
  const send = async (path: string, action: string, fields: Record<string, string> = {}) => {
    const response = await browser.submit(path, action, fields)
    return { status: response.status, html: await response.text(), location: response.headers.get("location") }
  }
  return { ...context, as, automate, browser, organizationId, page, principal, project, run, runNow, send, user, workspaceOf }
}
export type Place = Awaited<ReturnType<typeof makePlace>>
