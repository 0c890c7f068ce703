import { createApiKey, CurrentPrincipal, signInAs, type User } from "@coppice/core"
import { Effect } from "effect"
import { expect } from "vitest"
import { authorizePath, begunBy, clientOver, decideOn, type OAuthReplica, type Tokens } from "./oauth-service.ts"
import { pageBrowser } from "./page-browser.ts"
import { ask } from "./postgres-server.ts"

const verifier = "v".repeat(43)

/** What was answered: a status, and what clients go by. */
export interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly location: string | null
  readonly body: string
}

/** One step, which the database may be lost in. */
export interface Attempt {
  /** Does it, or tries to. */
  readonly act: () => Promise<Answer>
  /** Facts of the database that must be so together: all, or none. */
  readonly done: () => Promise<ReadonlyArray<boolean>>
  /** Afterwards, with the database back, and it done unseen or not at all. */
  readonly retry: (done: boolean) => Promise<void>
}

/** The service by a way that can be lost, the same beside it, and somebody who can sign in. */
export interface World {
  readonly databaseUrl: string
  readonly service: OAuthReplica
  readonly sound: OAuthReplica
  readonly owner: { readonly user: User; readonly password: string }
}

/** All that asks the database something on the way to a token, and by it. */
export const outageSteps = ({ databaseUrl, owner, service, sound }: World) => {
  const answerOf = async (response: Promise<Response>): Promise<Answer> => {
    const { headers, status, text } = await response.then(async (it) => ({ headers: it.headers, status: it.status, text: await it.text() }))
    return { status, retryAfter: headers.get("retry-after"), location: headers.get("location"), body: text }
  }
  const is = async (condition: string): Promise<boolean> =>
    (await ask<{ is: boolean }>(databaseUrl, `SELECT coalesce((${condition}), false) AS is`))[0]!.is

  const jsonOf = async <A>(response: Promise<Response>): Promise<A> => await (await response).json() as A
  const newClient = async () => (await jsonOf<{ client_id: string }>(clientOver(sound.send).register())).client_id
  const begin = async (client: string) => {
    const { cookie, requestId } = begunBy(await clientOver(sound.send).authorize(client, verifier, { scope: "email offline_access" }))
    return { cookie: cookie!, requestId }
  }
  const newCode = async () => {
    const client = await newClient()
    const decided = await sound.runtime.runPromise(decideOn(await begin(client), by))
    return { client, code: decided.searchParams.get("code")! }
  }
  const newTokens = async () => {
    const { client, code } = await newCode()
    const tokens = await jsonOf<Tokens>(clientOver(sound.send).redeem(client, code, verifier))
    return { client, access: tokens.access_token, refresh: tokens.refresh_token! }
  }
  const grantOf = (client: string) => `FROM grants WHERE client_id = '${client}'`
  const ofGrant = (table: string, client: string) => `FROM ${table} t JOIN grants g ON g.id = t.grant_id WHERE g.client_id = '${client}'`
  const statusOf = async (response: Promise<Response>) => (await response).status
  const over = () => clientOver(service.send)

  /** A browser in which they have just signed in. */
  const signedInBrowser = async () => {
    const browser = pageBrowser(sound.send, sound.base)
    const { secret } = await sound.runtime.runPromise(signInAs(owner.user, { userAgent: "a browser", previous: undefined }))
    browser.cookies.set("coppice_session", secret)
    return browser
  }
  /** The same browser, by the way that can be lost. */
  const post = (cookies: Map<string, string>, path: string, fields: Readonly<Record<string, string>>, headers?: Record<string, string>) =>
    answerOf(pageBrowser(service.send, service.base, cookies).post(path, fields, headers))
  const by = { userId: owner.user.id, organizationId: owner.user.activeOrganizationId }
  const asOwner = Effect.provideService(CurrentPrincipal, { ...by, role: "owner" })

  const steps = {
    "register": async () => {
      const name = `client ${crypto.randomUUID()}`
      const act = () => answerOf(over().register({ client_name: name }))
      return {
        act,
        done: async () => [await is(`SELECT count(*) > 0 FROM oauth_clients WHERE name = '${name}'`)],
        retry: async () => expect((await act()).status).toBe(201)
      }
    },
    "authorize": async () => {
      const client = await newClient()
      const act = () => answerOf(over().authorize(client, verifier))
      return {
        act,
        done: async () => [await is(`SELECT count(*) > 0 FROM authorization_requests WHERE client_id = '${client}'`)],
        retry: async () => expect((await act()).status).toBe(302)
      }
    },
    "decide": async () => {
      const client = await newClient()
      const { cookies, fill, get } = await signedInBrowser()
      const { requestId } = begunBy(await get(authorizePath(client, verifier, { scope: "email offline_access" })))
      const path = `/consent?request=${requestId}`
      const fields = await fill(path, path, { decision: "allow" })
      const act = () => post(cookies, path, fields)
      return {
        act,
        done: () => Promise.all([
          is(`SELECT count(*) = 0 FROM authorization_requests WHERE id = '${requestId}'`),
          is(`SELECT count(*) = 1 ${grantOf(client)}`),
          is(`SELECT count(*) = 1 ${ofGrant("authorization_codes", client)}`)
        ]),
        retry: async (done) => {
          const { location, status } = await act()
          // It was carried out, and nobody heard of the code: the program has to connect anew.
          if (done) expect(status).toBe(404)
          else expect([status, location]).toEqual([303, expect.stringContaining("code=")])
        }
      }
    },
    "exchange a code": async () => {
      const { client, code } = await newCode()
      const act = () => answerOf(over().redeem(client, code, verifier))
      return {
        act,
        done: () => Promise.all([
          is(`SELECT redeemed_at IS NOT NULL ${ofGrant("authorization_codes", client)}`),
          is(`SELECT count(*) = 1 ${ofGrant("access_tokens", client)}`),
          is(`SELECT count(*) = 1 ${ofGrant("refresh_tokens", client)}`)
        ]),
        retry: async (done) => {
          const { body, status } = await act()
          if (done) expect([status, JSON.parse(body)]).toEqual([400, expect.objectContaining({ error: "invalid_grant" })])
          else expect(status).toBe(200)
          // It repeats in good faith, so that its grant is left alone.
          expect(await is(`SELECT revoked_at IS NULL ${grantOf(client)}`)).toBe(true)
        }
      }
    },
    "refresh (F12)": async () => {
      const { access, client, refresh } = await newTokens()
      const act = () => answerOf(over().refresh(client, refresh))
      return {
        act,
        done: () => Promise.all([
          is(`SELECT count(rotated_at) = 1 ${ofGrant("refresh_tokens", client)}`),
          is(`SELECT count(*) = 2 ${ofGrant("refresh_tokens", client)}`),
          is(`SELECT count(*) = 2 ${ofGrant("access_tokens", client)}`)
        ]),
        retry: async () => {
          const { body, status } = await act()
          expect(status).toBe(200)
          for (const token of [access, (JSON.parse(body) as Tokens).access_token]) expect(await statusOf(over().whoami(token))).toBe(200)
        }
      }
    },
    "revoke": async () => {
      const { access, client, refresh } = await newTokens()
      const act = () => answerOf(over().revoke(refresh, client))
      return {
        act,
        done: async () => [await is(`SELECT revoked_at IS NOT NULL ${grantOf(client)}`)],
        retry: async () => {
          expect((await act()).status).toBe(200)
          expect(await statusOf(over().whoami(access))).toBe(401)
        }
      }
    },
    "sign in": async () => {
      const { cookies, fill } = pageBrowser(sound.send, sound.base)
      const fields = await fill("/login", "/login", { email: owner.user.email, password: owner.password })
      const agent = `browser ${crypto.randomUUID()}`
      const act = () => post(cookies, "/login", fields, { "user-agent": agent })
      // Each attempt counts, also one that nobody could judge; that is not what is asked here.
      await ask(databaseUrl, "DELETE FROM rate_windows")
      return {
        act,
        done: async () => [await is(`SELECT count(*) > 0 FROM browser_sessions WHERE user_agent = '${agent}'`)],
        retry: async () => expect((await act()).status).toBe(303)
      }
    },
    "make a key": async () => {
      const name = `key ${crypto.randomUUID()}`
      const path = "/settings/keys/new"
      const { cookies, fill } = await signedInBrowser()
      const fields = await fill(path, path, { name, lifetime: "30", access: "read", reach: "all" })
      const act = () => post(cookies, path, fields)
      return {
        act,
        done: async () => [await is(`SELECT count(*) > 0 FROM api_keys WHERE name = '${name}'`)],
        retry: async () => expect((await act()).status).toBe(200)
      }
    },
    "use an access token at /mcp": async () => {
      const { access, client } = await newTokens()
      const act = () => answerOf(over().whoami(access))
      return {
        act,
        done: async () => [await is(`SELECT count(last_used_at) = 1 ${grantOf(client)}`)],
        retry: async () => expect((await act()).status).toBe(200)
      }
    },
    "use an API key at /mcp": async () => {
      const { secret } = await sound.runtime.runPromise(asOwner(createApiKey({ name: crypto.randomUUID() })))
      const act = () => answerOf(over().whoami(secret))
      return { act, done: async () => [], retry: async () => expect((await act()).status).toBe(200) }
    }
  } satisfies Record<string, () => Promise<Attempt>>
  return steps
}

export const stepNames = [
  "register",
  "authorize",
  "decide",
  "exchange a code",
  "refresh (F12)",
  "revoke",
  "sign in",
  "make a key",
  "use an access token at /mcp",
  "use an API key at /mcp"
] as const satisfies ReadonlyArray<keyof ReturnType<typeof outageSteps>>
