import { addMember, CurrentPrincipal, newId, now, type ProjectId, ProjectId as ProjectIdSchema, type Role, type User } from "@coppice/core"
import { MemberStore, PasswordHasher, UserStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { formToken } from "../../src/pipeline/form-token.ts"
import { addPerson, type Browser, makeBrowser } from "./browser.ts"
import type { MatrixContext } from "./matrix.ts"

const password = "correct horse battery"

let people = 0

/** People at the pages of their settings, each signed in in a browser of their own. */
export const makeSettings = (context: MatrixContext) => {
  const { database, logs, runtime } = context
  const enter = async (user: User) => {
    const browser = makeBrowser(context)
    const { status } = await browser.login(user.email, password)
    if (status !== 303) throw new Error(`${user.email} could not sign in: ${status}`)
    return { browser, user }
  }
  /** The owner of an organization of their own. */
  const owner = async (name = "Olga") => enter(await addPerson(context, `${name.toLowerCase()}-${++people}@example.com`, password))
  /** Somebody else in the organization of an owner. */
  const colleague = async (of: { readonly user: User }, role: Exclude<Role, "owner">, name = "Max") =>
    enter(await runtime.runPromise(Effect.gen(function*() {
      const { activeOrganizationId: organizationId, id: userId } = of.user
      const { user } = yield* Effect.provideService(
        addMember({ email: `${name.toLowerCase()}-${++people}@example.com`, name, role }), CurrentPrincipal, { organizationId, userId, role: "owner" })
      yield* (yield* UserStore).setPasswordHash(user.id, yield* (yield* PasswordHasher).hash(password), yield* now)
      return user
    })))
  const addProject = (of: { readonly user: User }, name: string): Promise<ProjectId> =>
    runtime.runPromise(Effect.gen(function*() {
      const [id, at] = [yield* newId(ProjectIdSchema), yield* now]
      const record = { id, organizationId: of.user.activeOrganizationId, name, createdAt: at, updatedAt: at }
      database.projects.set(id, record as never)
      return id
    }))
  const roleOf = ({ user }: { readonly user: User }): Promise<Role | undefined> =>
    runtime.runPromise(Effect.gen(function*() {
      return (yield* (yield* MemberStore).find(user.activeOrganizationId, user.id))?.role
    }))
  /** All that is kept, and all that was logged, as text. */
  const kept = () =>
    JSON.stringify([Object.values(database).map((part) => part instanceof Map ? [...part] : part instanceof Set ? [] : part), logs])
  return { addProject, colleague, enter, kept, owner, roleOf }
}

/** What a page says, as a browser shows it: without its marks. */
export const shown = async (response: Response | Promise<Response>): Promise<string> =>
  (await (await response).text())
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\"").replaceAll("&amp;", "&")
    .replace(/\s+/g, " ")

/** The secret of a kind that a page shows, if it shows one. */
export const secretIn = (html: string, prefix: string): string | undefined => new RegExp(`${prefix}[0-9A-Za-z]+`).exec(html)?.[0]

/** The fault that a page shows at a field. */
export const faultAt = (html: string, field: string): string | undefined => new RegExp(`id="${field}-fault">([^<]*)<`).exec(html)?.[1]

/** The token of a form that the person was never shown, as they could make it up from their own cookie. */
export const tokenFor = ({ cookies }: Browser, action: string) => ({ form_token: formToken(cookies.get("coppice_session")!, action) })
