type Send = (path: string, init?: RequestInit) => Promise<Response>

const unescape = (text: string): string =>
  text.replaceAll("&quot;", "\"").replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** What a browser does between pages: it keeps cookies, and sends the forms that pages have, from where they are. */
export const pageBrowser = (send: Send, origin: string, cookies: Map<string, string> = new Map()) => {
  const keep = (response: Response): Response => {
    for (const field of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(field) ?? []
      if (/max-age=0/i.test(field)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  const get = async (path: string) => keep(await send(path, { redirect: "manual", headers: { cookie: cookie() } }))
  const post = async (path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}) =>
    keep(await send(path, {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams(fields).toString(),
      headers: { cookie: cookie(), origin, "content-type": "application/x-www-form-urlencoded", ...headers }
    }))
  /** The hidden fields of the form on a page that goes to an action. */
  const hidden = (html: string, action: string): Record<string, string> => {
    const form = [...html.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].find(([, to]) => unescape(to!) === action)?.[2]
    if (form === undefined) throw new Error(`No form goes to ${action} in ${html}`)
    return Object.fromEntries([...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
      .map(([, name, value]) => [name!, unescape(value!)]))
  }
  /** The fields of a form as the page has them, with others. */
  const fill = async (path: string, action: string, fields: Readonly<Record<string, string>>) => ({
    ...hidden(await (await get(path)).text(), action),
    ...fields
  })
  const submit = async (path: string, action: string, fields: Readonly<Record<string, string>>) => post(action, await fill(path, action, fields))
  return { cookies, fill, get, post, submit }
}
