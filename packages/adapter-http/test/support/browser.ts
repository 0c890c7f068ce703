import { foundOrganization, normalizePassword, type User } from "@coppice/core"
import { PasswordHasher, UserStore } from "@coppice/core/ports"
import { DateTime, Effect } from "effect"
import type { MatrixContext } from "./matrix.ts"

/** What a browser does between pages: it keeps cookies, says where a form came from, and follows to the next page. */
export const makeBrowser = ({ base, fetch }: Pick<MatrixContext, "base" | "fetch">) => {
  const cookies = new Map<string, string>()
  const keep = (response: Response) => {
    for (const field of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = field.split("; ")
      const [name = "", value = ""] = pair.split("=")
      if (attributes.includes("Max-Age=0")) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  const get = async (path: string, headers: Record<string, string> = {}) =>
    keep(await fetch(path, { redirect: "manual", headers: { cookie: cookie(), ...headers } }))
  /** Sends fields as they are. */
  const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    keep(await fetch(path, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(fields).toString(),
      headers: { cookie: cookie(), origin: base, "content-type": "application/x-www-form-urlencoded", ...headers }
    }))
  /** The hidden fields of the form on a page that goes to an action. */
  const hidden = (html: string, action: string): Record<string, string> => {
    const form = [...html.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)]
      .find(([, to]) => to!.replaceAll("&amp;", "&") === action)?.[2]
    if (form === undefined) throw new Error(`No form goes to ${action} in ${html}`)
    return Object.fromEntries([...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
      .map(([, name, value]) => [name!, value!.replaceAll("&amp;", "&")]))
  }
  /** Opens a page, fills the form there that goes to an action, and sends it. */
  const submit = async (path: string, action: string, fields: Record<string, string>, headers?: Record<string, string>) => {
    const page = await get(path)
    return post(action, { ...hidden(await page.text(), action), ...fields }, headers)
  }
  const login = (email: string, password: string) => submit("/login", "/login", { email, password })
  return { cookies, get, hidden, login, post, submit }
}
export type Browser = ReturnType<typeof makeBrowser>

/** A user with a password, the owner of an organization of their own. */
export const addPerson = ({ runtime }: Pick<MatrixContext, "runtime">, email: string, password?: string): Promise<User> =>
  runtime.runPromise(Effect.gen(function*() {
    const { user } = yield* foundOrganization({ email, name: email.split("@")[0]!, organizationName: `Of ${email}` })
    if (password !== undefined) {
      const hash = yield* (yield* PasswordHasher).hash(normalizePassword(password))
      yield* (yield* UserStore).setPasswordHash(user.id, hash, yield* DateTime.now)
    }
    return user
  }))
