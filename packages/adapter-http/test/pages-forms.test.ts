import { describe, expect, it } from "vitest"
import { endpointCatalog } from "../src/index.ts"
import { safeReturn } from "../src/pipeline/return-path.ts"
import { addPerson, makeBrowser } from "./support/browser.ts"
import { describeMatrix } from "./support/matrix.ts"

const password = "correct horse battery"
const setup = { hash: "0".repeat(64), founded: () => undefined } as never
const pages = endpointCatalog({ tools: [], resources: [], prompts: [], version: "1", setup } as never)
  .flatMap((endpoint) => endpoint.security === "browser" || endpoint.security === "visitor" ? [endpoint] : [])
  .map(({ method, paths: [path], security }) => ({ method, path: path!.replace(/:\w+/g, "0190a8e4-0000-7000-8000-000000000000"), security }))
const forms = pages.filter(({ method }) => method === "POST")

describeMatrix("forms", (context) => {
  it("C1: are taken from our own pages alone, whichever it is", async () => {
    await addPerson(context(), "ann@example.com", password)
    const browser = makeBrowser(context())
    await browser.login("ann@example.com", password)
    const stranger = makeBrowser(context())
    const strangers = stranger.hidden(await (await stranger.get("/login")).text(), "/login")["form_token"]!
    const { database } = context()
    const state = () => JSON.stringify([...database.browserSessions.keys(), ...database.users.values(), ...database.auditEntries.keys()])
    const before = state()
    expect(forms.length).toBeGreaterThan(8)
    for (const { path } of forms) {
      const token = { form_token: strangers }
      for (const [fields, headers] of [
        [{}, {}],
        [token, {}],
        [{ form_token: "" }, {}],
        [token, { origin: "https://evil.example" }],
        [token, { origin: "null" }],
        [token, { origin: "null", "sec-fetch-site": "cross-site" }],
        [token, { origin: "null", "sec-fetch-site": "same-site" }],
        [token, { origin: `${context().base}.evil.example` }],
        [token, { origin: context().base.replace("http:", "https:") }]
      ] as const) {
        const response = await browser.post(path, fields, headers)
        expect([path, headers, response.status]).toEqual([path, headers, 403])
        expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
      }
    }
    expect(state()).toBe(before)
  })

  it("C1: are known by Sec-Fetch-Site where the browser withholds Origin, and not without either", async () => {
    await addPerson(context(), "bob@example.com", password)
    const fields = { email: "bob@example.com", password }
    for (const [headers, status] of [
      [{ origin: "null", "sec-fetch-site": "same-origin" }, 303],
      [{ origin: "null" }, 403]
    ] as const) {
      const browser = makeBrowser(context())
      expect((await browser.submit("/login", "/login", fields, headers)).status).toBe(status)
    }
    const browser = makeBrowser(context())
    const page = await (await browser.get("/login")).text()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const send = (headers: Record<string, string>) =>
      context().fetch("/login", {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ ...browser.hidden(page, "/login"), ...fields }).toString(),
        headers: { cookie, "content-type": "application/x-www-form-urlencoded", ...headers }
      })
    expect((await send({})).status).toBe(403)
    expect((await send({ "sec-fetch-site": "same-origin" })).status).toBe(303)
  })

  it("C1: leave the browser as it is when another site sent them, which comes without its cookies", async () => {
    for (const { path } of forms) {
      const response = await makeBrowser(context()).post(path, {}, { origin: "https://evil.example" })
      expect([path, response.status, response.headers.getSetCookie()]).toEqual([path, 403, []])
    }
  })

  it("C1: hold for where they go, in the browser that they were made for, in that sign-in", async () => {
    await addPerson(context(), "cat@example.com", password)
    const browser = makeBrowser(context())
    await browser.login("cat@example.com", password)
    const account = await (await browser.get("/settings/account")).text()
    const everywhere = browser.hidden(account, "/settings/account/sign-out-everywhere")
    expect((await browser.post("/logout", everywhere)).status).toBe(403)
    expect((await browser.post("/settings/account/sign-out-everywhere?x=1", everywhere)).status).toBe(403)
    // The same person, signed in anew in the same browser: what was opened before is too old.
    const visit = browser.cookies.get("coppice_visit")!
    await browser.submit("/settings/account", "/logout", {})
    browser.cookies.set("coppice_visit", visit)
    await browser.login("cat@example.com", password)
    expect((await browser.post("/settings/account/sign-out-everywhere", everywhere)).status).toBe(403)
    const fresh = browser.hidden(await (await browser.get("/settings/account")).text(), "/settings/account/sign-out-everywhere")
    expect((await browser.post("/settings/account/sign-out-everywhere", fresh)).status).toBe(303)
  })

  it("send who is not signed in to sign in, and do nothing", async () => {
    for (const { path } of forms.filter(({ security }) => security === "browser")) {
      const response = await makeBrowser(context()).post(path, {})
      expect([path, response.status, response.headers.get("location")]).toEqual([path, 303, "/login"])
    }
  })

  it("are forms of at most 64 KiB", async () => {
    const browser = makeBrowser(context())
    const page = browser.hidden(await (await browser.get("/login")).text(), "/login")
    expect((await browser.post("/login", page, { "content-type": "application/json" })).status).toBe(415)
    expect((await browser.post("/login", { ...page, email: "x".repeat(64 * 1024) })).status).toBe(413)
    expect((await browser.post("/login", { ...page, email: "x".repeat(60 * 1024) })).status).toBe(401)
  })

  it("go nowhere else after signing in, whatever the address asks for", async () => {
    await addPerson(context(), "dan@example.com", password)
    for (const back of ["//evil.example", "/\\evil.example", "https://evil.example/", "/%2f%2fevil.example", "/settings/../../evil"]) {
      const browser = makeBrowser(context())
      const path = `/login?return=${encodeURIComponent(back)}`
      const page = await (await browser.get(path)).text()
      expect(page).not.toContain("evil")
      const fields = { ...browser.hidden(page, "/login"), return: back, email: "dan@example.com", password }
      context().ahead.millis += 15 * 60_000
      expect((await browser.post("/login", fields)).headers.get("location")).toBe("/")
      expect((await browser.get(path)).headers.get("location")).toBe("/")
    }
  })
})

describe("where one may return to", () => {
  it("takes paths of pages of ours, with their query", () => {
    for (const path of ["/consent?request=0190a8e4-0000-7000-8000-000000000000", "/settings/keys", "/automations", "/automations/x?cursor=%41"]) {
      expect(safeReturn(path)).toBe(path)
    }
  })

  it("takes nothing else", () => {
    for (const path of [
      null, "", "/", "login", "/login", "/logout", "/mcp", "//settings", "///settings", "/\\settings", "\\settings", "/settings\\x", "/settings//evil",
      "/settings/../mcp", "/settings/./x", "/settings/..", "/settings\n", "/settings\t/x", " /settings", "/settings x", "/settings#x", "/settingsevil",
      "http://127.0.0.1:4280/settings", "javascript:alert(1)", "/settings\u0000", "/sėttings", `/settings/${"x".repeat(2000)}`
    ]) expect([path, safeReturn(path)]).toEqual([path, undefined])
  })
})

describeMatrix("pages", (context) => {
  const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

  it("C2, C12: are nobody's to frame, keep or pass on, errors among them", async () => {
    await addPerson(context(), "hed@example.com", password)
    const browser = makeBrowser(context())
    await browser.login("hed@example.com", password)
    const visitor = makeBrowser(context())
    const seen = new Set<number>()
    for (const { path } of pages.filter(({ method }) => method === "GET")) {
      for (const who of [browser, visitor]) {
        const { headers, status } = await who.get(path)
        seen.add(status)
        expect([path, headers.get("cache-control")]).toEqual([path, "no-store"])
        expect(headers.get("referrer-policy")).toBe("same-origin")
        if (status === 303) continue
        expect([path, headers.get("content-security-policy")]).toEqual([path, policy])
        expect(headers.get("x-frame-options")).toBe("DENY")
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
      }
    }
    expect(seen).toContain(200)
    expect(seen).toContain(404)
  })

  it("hold nothing that such a policy forbids", async () => {
    await addPerson(context(), "pol@example.com", password)
    const browser = makeBrowser(context())
    await browser.login("pol@example.com", password)
    for (const path of ["/settings/account"]) {
      const html = await (await browser.get(path)).text()
      expect(html).not.toMatch(/ style=| on\w+=|<style|javascript:|https?:\/\//)
      for (const [, source] of html.matchAll(/(?:src|href)="([^"]*)"/g)) {
        if (source!.startsWith("#")) continue
        expect(source).toMatch(/^\//)
        expect([source, (await browser.get(source!.replaceAll("&amp;", "&"))).status]).not.toEqual([source, 500])
      }
    }
  })

  it("come with files that browsers may keep for as long as the address stays", async () => {
    const html = await (await makeBrowser(context()).get("/login")).text()
    const assets = [...html.matchAll(/"(\/assets\/[^"]*)"/g)].map(([, path]) => path!)
    expect(new Set(assets).size).toBe(3)
    for (const path of assets) {
      const response = await context().fetch(path)
      expect([response.status, response.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"])
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      expect((await context().fetch(path, { headers: { "if-none-match": response.headers.get("etag")! } })).status).toBe(304)
      expect((await context().fetch(path.replace(/\?.*/, "?v=old"))).headers.get("cache-control")).toBe("no-cache")
    }
  })

  it("shows a failure that nobody foresaw as a page, with an id and nothing of its text", async () => {
    await addPerson(context(), "bug@example.com", password)
    const browser = makeBrowser(context())
    await browser.login("bug@example.com", password)
    const { database, logs } = context()
    database.members.forEach((member, id) => database.members.set(id, { ...member, organizationId: undefined as never }))
    const members = database.members
    const forEach = members.values
    members.values = () => {
      throw new Error("sesame")
    }
    const response = await browser.get("/settings/account")
    members.values = forEach
    const html = await response.text()
    expect([response.status, response.headers.get("x-frame-options")]).toEqual([500, "DENY"])
    expect(html).toMatch(/Something unexpected went wrong \([0-9a-f-]{36}\)/)
    expect(html).not.toContain("sesame")
    expect(JSON.stringify(logs)).toContain("sesame")
  })
})

describe("cookies", () => {
  const fieldsOf = async (context: () => { base: string; fetch: never }) => {
    const browser = makeBrowser(context() as never)
    return (await browser.get("/login")).headers.getSetCookie()
  }
  describeMatrix("over http", (context) => {
    it("C12: are out of reach for scripts and other sites' forms", async () => {
      const [field, ...more] = await fieldsOf(context as never)
      expect(more).toEqual([])
      expect(field).toMatch(/^coppice_visit=coppice_bv_\w+; HttpOnly; Path=\/; SameSite=Lax$/)
    })
  })
  describeMatrix("over https", (context) => {
    it("C12: belong to this host alone", async () => {
      const [field] = await fieldsOf(context as never)
      expect(field).toMatch(/^__Host-coppice_visit=coppice_bv_\w+; HttpOnly; Path=\/; SameSite=Lax; Secure$/)
    })

    it("C1: a form comes from the https address, not from the one behind the proxy", async () => {
      const browser = makeBrowser(context())
      expect((await browser.submit("/login", "/login", { email: "a@b", password: "wrong wrong" })).status).toBe(403)
      const origin = "https://coppice.example.com"
      expect((await browser.submit("/login", "/login", { email: "a@b", password: "wrong wrong" }, { origin })).status).toBe(401)
    })
  }, { baseUrl: "https://coppice.example.com" })
})
