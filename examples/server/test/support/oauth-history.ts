import {
  addMember,
  CurrentPrincipal,
  foundOrganization,
  hashSecret,
  inviteMember,
  joinAsUser,
  type OrganizationId,
  openInvitation,
  type Principal,
  removeMember,
  revokeGrant,
  type User
} from "@coppice/core"
import type { HttpPorts } from "@coppice/adapter-http"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { makeModel, type ModelGrant, type Performed } from "./oauth-model.ts"
import { begunBy, clientOver, decideOn, type OAuthReplica, type Tokens } from "./oauth-service.ts"
import { timePasses } from "./oauth-time.ts"

/** The one that a number stands for; small numbers stand for the last ones, which most is to be expected of. */
const pick = <A>(list: ReadonlyArray<A>, number: number): A | undefined => list.at(-1 - number % list.length)

const scopes = [["email", "offline_access"], ["profile", "email", "offline_access"], ["profile"]] as const

const second = 1000
const minute = 60 * second

export interface HistoryOptions {
  readonly replicas: ReadonlyArray<OAuthReplica>
  /** For what no replica does. */
  readonly direct: OAuthReplica
}

/** People, organizations and clients of their own for one history, and what they can do. */
export const beginHistory = async ({ direct, replicas }: HistoryOptions) => {
  const model = makeModel()
  let ahead = 0
  /** The time, as the stores go by it. */
  const clock = () => Date.now() + ahead
  const run = <A, E>(effect: Effect.Effect<A, E, HttpPorts | SqlClient>, at: OAuthReplica = direct) => at.runtime.runPromise(effect as Effect.Effect<A, E, never>)
  const by = (organizationId: OrganizationId, { id: userId }: User, role: Principal["role"]) =>
    Effect.provideService(CurrentPrincipal, { organizationId, userId, role })
  /** How a use case ended, where it may be refused. */
  const outcome = <E extends { readonly code: string }>(effect: Effect.Effect<string, E, HttpPorts>, at: OAuthReplica) =>
    run(Effect.catch(effect, ({ code }) => Effect.succeed(code as string)), at)

  // What came of the history before would only be put back along with the rest.
  await run(Effect.flatMap(SqlClient, (sql) => sql`DELETE FROM oauth_clients`))
  let names = 0
  const name = () => `n${++names}-${crypto.randomUUID()}`
  const owners = await Promise.all([1, 2].map(() =>
    run(foundOrganization({ organizationName: name(), email: `${name()}@example.com`, name: "Owner" }))))
  const organizations = owners.map(({ organization }) => organization.id)
  const ownerOf = (organizationId: OrganizationId) => by(organizationId, owners[organizations.indexOf(organizationId)]!.user, "owner")
  const join = (user: User, organizationId: OrganizationId) =>
    Effect.gen(function*() {
      const { secret } = yield* inviteMember({ email: user.email, role: "member" }).pipe(ownerOf(organizationId))
      yield* joinAsUser(yield* openInvitation(secret), user)
    })
  const people = await Promise.all([1, 2].map(async () => {
    const { user } = await run(addMember({ email: `${name()}@example.com`, name: "Ann", role: "member" }).pipe(ownerOf(organizations[0]!)))
    await run(join(user, organizations[1]!))
    for (const organization of organizations) model.join(organization, user.id)
    return user
  }))
  const clients: Array<string> = []
  /** Somebody else than the client that a grant is of. */
  const other = (client: string) => clients.find((each) => each !== client)!

  const register = async (at: OAuthReplica): Promise<Performed> => {
    const response = await clientOver(at.send).register()
    const { client_id } = await response.json() as { client_id: string }
    return { observed: String(response.status), predict: () => "201", record: () => clients.push(client_id) }
  }

  const decide = async (number: number, at: OAuthReplica, approve: boolean): Promise<Performed> => {
    const [client, user, organization] = [pick(clients, number)!, pick(people, number >> 1)!, pick(organizations, number >> 2)!]
    const scope = scopes[number % 5 % 3]!
    const verifier = name().padEnd(43, "v")
    const begun = begunBy(await clientOver(at.send).authorize(client, verifier, { scope: scope.join(" ") }))
    const elsewhere = replicas[number % replicas.length]!
    let code = ""
    let id = ""
    const observed = await outcome(Effect.gen(function*() {
      const url = yield* decideOn({ ...begun, cookie: begun.cookie! }, { userId: user.id, organizationId: organization }, approve)
      code = url.searchParams.get("code") ?? ""
      return url.searchParams.get("error") ?? "code"
    }), elsewhere)
    if (code !== "") {
      const hash = hashSecret("authorizationCode", code)!
      ;[{ id }] = await run(Effect.flatMap(SqlClient, (sql) =>
        sql<{ id: string }>`SELECT grant_id AS id FROM authorization_codes WHERE hash = ${hash}`)) as [{ id: string }]
    }
    return {
      observed,
      predict: () => !model.isMember(organization, user.id) ? "FORBIDDEN" : approve ? "code" : "access_denied",
      record: (now) => code !== "" && model.approve({ id, organization, user: user.id, client, scope, at: now }, code, verifier)
    }
  }

  /** A request to the token endpoint: its error, or the tokens, which must be of just that scope. */
  const exchange = async (sent: Promise<Response>, grant: ModelGrant, scope: ReadonlyArray<string>, predict: Performed["predict"], certain = () => {}): Promise<Performed> => {
    const response = await sent
    const body = await response.json() as Tokens & { readonly error?: string }
    const good = response.status === 200
    const widened = good && (body.scope !== scope.join(" ") || scope.some((word) => !grant.scope.includes(word))) ? ` of scope ${body.scope}` : ""
    return {
      observed: (good ? "tokens" : body.error ?? String(response.status)) + widened,
      predict,
      record: (now) => good && model.issue(grant, body.access_token, body.refresh_token, scope, now),
      certain: () => good && certain()
    }
  }

  const redeem = async (number: number, at: OAuthReplica, how?: "again" | "verifier" | "client") => {
    // To redeem one once more ends its grant, so that little else would come about if that were done at random.
    const codes = how === "again" || how === "verifier" ? model.codes : model.codes.filter(({ successes }) => successes === 0)
    const code = pick(codes, number)
    if (code === undefined) return undefined
    const { grant, secret } = code
    const client = how === "client" ? other(grant.client) : grant.client
    const verifier = how === "verifier" ? "w".repeat(43) : code.verifier
    return exchange(
      clientOver(at.send).redeem(client, secret, verifier), grant, grant.scope,
      (now) => model.redeem(code, client, verifier, now), () => code.successes++
    )
  }

  /** As often as to find one out; afterwards the right one is worth nothing either. */
  const guess = async (_: number, at: OAuthReplica): Promise<Performed | undefined> => {
    const tries: Array<Performed | undefined> = []
    for (let each = 0; each < 5; each++) tries.push(await redeem(0, at, "verifier"))
    const made = tries.filter((each) => each !== undefined)
    return { observed: made.map(({ observed }) => observed).join(), predict: (now) => made.map(({ predict }) => predict(now)).join(), record: () => {} }
  }

  const refresh = async (number: number, at: OAuthReplica, how?: "older" | "client" | "more" | "less") => {
    const grant = pick(model.refreshTokens, number)?.grant
    const family = model.refreshTokens.filter((token) => token.grant === grant)
    const token = family.at(how === "older" ? -1 - (1 + number) % family.length : -1)
    if (grant === undefined || token === undefined) return undefined
    const client = how === "client" ? other(grant.client) : grant.client
    const scope = how === "more" ? [...grant.scope, "openid"] : how === "less" ? [grant.scope[0]!] : undefined
    return exchange(
      clientOver(at.send).refresh(client, token.secret, { scope: scope?.join(" ") }), grant, scope ?? grant.scope,
      (now) => model.refresh(token, client, scope, now)
    )
  }

  const revoke = async (number: number, at: OAuthReplica, kind: "access" | "refresh", foreign = false): Promise<Performed | undefined> => {
    const token = pick<{ readonly grant: ModelGrant; readonly secret: string }>(kind === "access" ? model.accessTokens : model.refreshTokens, number)
    if (token === undefined) return undefined
    const client = foreign ? other(token.grant.client) : number % 2 === 0 ? token.grant.client : undefined
    const { status } = await clientOver(at.send).revoke(token.secret, client)
    const certain = () => kind === "access" ? model.revokeAccess(token as never, client) : model.revokeRefresh(token as never, client)
    return { observed: String(status), predict: () => (certain(), "200"), record: () => {}, certain }
  }

  const disconnect = async (number: number, at: OAuthReplica): Promise<Performed | undefined> => {
    const grant = pick(model.grants, number)
    if (grant === undefined) return undefined
    const user = people.find(({ id }) => id === grant.user)!
    const organization = grant.organization as OrganizationId
    const own = number % 2 === 0 && model.isMember(organization, user.id)
    const observed = await outcome(Effect.as(revokeGrant(grant.id), "ended").pipe(own ? by(organization, user, "member") : ownerOf(organization)), at)
    return {
      observed,
      predict: (now) => model.isLive(grant, now) ? (grant.revoked = true, "ended") : "NOT_FOUND",
      record: () => {},
      certain: () => void (grant.revoked = true)
    }
  }

  const membership = async (number: number, at: OAuthReplica, how: "leave" | "return"): Promise<Performed> => {
    const [user, organization] = [pick(people, number)!, pick(organizations, number >> 1)!]
    const before = [...model.grants]
    const observed = await outcome(
      how === "leave"
        ? Effect.as(removeMember(user.id), "left").pipe(by(organization, user, "member"))
        : Effect.as(join(user, organization), "joined"),
      at
    )
    return {
      observed,
      predict: () => {
        const was = model.isMember(organization, user.id)
        if (how === "return") return was ? "CONFLICT" : (model.join(organization, user.id), "joined")
        return was ? (model.leave(organization, user.id), "left") : "NOT_FOUND"
      },
      record: () => {},
      certain: () => {
        if (observed !== "left") return
        for (const grant of before) if (grant.organization === organization && grant.user === user.id) grant.revoked = true
      }
    }
  }

  const pass = (millis: number) => async (): Promise<Performed> => {
    await run(Effect.flatMap(SqlClient, (sql) => sql.unsafe(timePasses(millis))))
    ahead += millis
    return { observed: "", predict: () => "", record: () => {} }
  }

  const steps = {
    "redeem": (number, at) => redeem(number, at),
    "redeem once more": (number, at) => redeem(number, at, "again"),
    "refresh": (number, at) => refresh(number, at),
    "approve": (number, at) => decide(number, at, true),
    "refresh with an older one": (number, at) => refresh(number, at, "older"),
    "seconds pass": pass(17 * second),
    "minutes pass": pass(150 * second),
    "half an hour passes": pass(33 * minute),
    "weeks pass": pass(25 * 24 * 60 * minute),
    "deny": (number, at) => decide(number, at, false),
    "redeem with a wrong verifier": (number, at) => redeem(number, at, "verifier"),
    "guess a verifier": guess,
    "redeem as another client": (number, at) => redeem(number, at, "client"),
    "refresh as another client": (number, at) => refresh(number, at, "client"),
    "refresh for more": (number, at) => refresh(number, at, "more"),
    "refresh for less": (number, at) => refresh(number, at, "less"),
    "revoke an access token": (number, at) => revoke(number, at, "access"),
    "revoke a refresh token": (number, at) => revoke(number, at, "refresh"),
    "revoke as another client": (number, at) => revoke(number, at, number % 2 === 0 ? "access" : "refresh", true),
    "disconnect": disconnect,
    "leave": (number, at) => membership(number, at, "leave"),
    "return": (number, at) => membership(number, at, "return"),
    "register": (_, at) => register(at)
  } satisfies Record<string, (number: number, at: OAuthReplica) => Promise<Performed | undefined>>

  /** What an access token opens on a replica: nothing, or the calls of whoever it says. */
  const use = async (secret: string, at: OAuthReplica) => {
    const response = await clientOver(at.send).whoami(secret)
    const body = await response.json() as { readonly result?: { readonly structuredContent?: Principal } }
    if (response.status === 401) return "nothing"
    const { grant, organizationId, userId } = body.result?.structuredContent ?? {}
    return `${response.status} ${organizationId} ${userId} ${grant?.clientId} ${grant?.scope.join(" ")}`
  }
  /** Limits are another matter, and must not stand in the way here. */
  const forgetLimits = () => run(Effect.flatMap(SqlClient, (sql) => sql`DELETE FROM rate_windows`))
  const memberships = () => run(Effect.flatMap(SqlClient, (sql) => sql<{ organizationId: string; userId: string }>`SELECT organization_id, user_id FROM members`))

  return { model, steps, clock, use, forgetLimits, memberships }
}
export type History = Awaited<ReturnType<typeof beginHistory>>
