// Each of these adapters is broken in one way that could well happen; the contract of its port must notice.
import type { Automation, Run } from "@coppice/core"
import {
  AgentSessionStore,
  ApiKeyStore,
  AuditLog,
  AutomationStore,
  BrowserSessionStore,
  HostStore,
  IdempotencyStore,
  InvitationStore,
  McpSessionStore,
  MemberStore,
  McpQuestionStore,
  McpSubscriptionStore,
  OrganizationStore,
  ProjectStore,
  RateLimiter,
  RunEventStore,
  RunQueue,
  RunStore,
  TaskStatusStore,
  TaskStore,
  UserStore,
  WebhookInbox,
  WebhookRefusalStore,
  WorkspaceStore
} from "@coppice/core/ports"
import { allStoreContracts, failedTests } from "@coppice/testkit/contract"
import { Clock, DateTime, Effect, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { ahead, type Database, healthy, mutant, type Mutant, torn } from "./mutant.ts"
import { oauthMutants } from "./oauth-mutants.ts"

const later = (at: DateTime.Utc) => DateTime.add(at, { milliseconds: 1 })

/** Under the same fence as the newest claim. */
const refenced = (database: Database, lease: Parameters<RunQueue["Service"]["renew"]>[0]) => ({
  ...lease,
  fence: database.runs.get(lease.runId)?.fence ?? lease.fence
})

const mutants: ReadonlyArray<Mutant> = [
  ...oauthMutants,

  mutant(AgentSessionStore, "shows the sessions of any organization", (_, { agentSessions }) => ({
    get: (_, id) => Effect.sync(() => agentSessions.get(id))
  })),
  mutant(AgentSessionStore, "moves from any status", (store) => ({
    transition: (organizationId, id, _, ...rest) =>
      store.transition(organizationId, id, ["starting", "running", "awaiting_input", "completed", "failed", "cancelled", "lost"], ...rest)
  })),
  mutant(AgentSessionStore, "takes lost sessions for ended", (store) => ({
    unsettled: (id) => Effect.map(store.unsettled(id), (all) => all.filter(({ status }) => status !== "lost"))
  })),
  mutant(AgentSessionStore, "moves in two steps", (store, { agentSessions }) => ({
    transition: (...args) => torn(agentSessions, store.transition(...args))
  })),

  mutant(ApiKeyStore, "keeps windows open five seconds too long", (store) => ({
    authenticate: (hash, limit) =>
      Effect.map(
        store.authenticate(hash, { ...limit, windowSeconds: limit.windowSeconds + 5 }),
        (answer) => answer && { ...answer, usage: { ...answer.usage, limit } }
      )
  })),
  mutant(ApiKeyStore, "counts in two steps", (store, { windows }) => ({
    authenticate: (...args) => torn(windows, store.authenticate(...args))
  })),
  mutant(ApiKeyStore, "counts a batch as one request", (store) => ({
    authenticate: (hash, limit) => store.authenticate(hash, limit)
  })),
  mutant(ApiKeyStore, "identifies by revoked keys", (_, { apiKeys, members }) => ({
    identify: (hash) =>
      Effect.sync(() => {
        const key = [...apiKeys.values()].find((row) => row.hash === hash)?.key
        const member = [...members.values()].find(({ userId }) => userId === key?.userId)
        return key && member && { organizationId: key.organizationId, userId: key.userId, role: member.role, apiKeyId: key.id }
      })
  })),
  mutant(ApiKeyStore, "counts whom it only identifies", (store) => ({
    identify: (hash) =>
      Effect.map(store.authenticate(hash, { max: 3, windowSeconds: 3600 }), (answer) => answer?.principal)
  })),
  mutant(ApiKeyStore, "revokes the keys of any organization", (store, { apiKeys }) => ({
    revoke: (organizationId, filter, idOrName, at) => {
      const key = [...apiKeys.values()].find(({ key }) => key.id === idOrName || key.name === idOrName)?.key
      return store.revoke(key?.organizationId ?? organizationId, filter, idOrName, at)
    }
  })),
  mutant(ApiKeyStore, "hides revoked keys", (store) => ({
    list: (organizationId, filter, page) =>
      Effect.map(store.list(organizationId, filter, page), (all) => ({
        ...all,
        items: all.items.filter(({ revokedAt }) => revokedAt === undefined)
      }))
  })),
  mutant(ApiKeyStore, "lets an expired key in for another five seconds", (store) => ({
    authenticate: (hash, limit) => ahead(-5_000, store.authenticate(hash, limit))
  })),
  mutant(ApiKeyStore, "finds the keys of any organization", (store, { apiKeys }) => ({
    find: (_, filter, id) => store.find(apiKeys.get(id)?.key.organizationId ?? _, filter, id)
  })),
  mutant(ApiKeyStore, "finds anybody's keys", (store) => ({
    find: (organizationId, _, id) => store.find(organizationId, {}, id)
  })),
  mutant(ApiKeyStore, "finds no revoked key", (store) => ({
    find: (...args) => Effect.map(store.find(...args), (key) => key?.revokedAt === undefined ? key : undefined)
  })),
  mutant(ApiKeyStore, "lists anybody's keys to anybody", (store) => ({
    list: (organizationId, _, page) => store.list(organizationId, {}, page)
  })),
  mutant(ApiKeyStore, "has anybody end anybody's keys", (store) => ({
    revoke: (organizationId, _, ...rest) => store.revoke(organizationId, {}, ...rest)
  })),
  mutant(ApiKeyStore, "opens everything with any key", (store) => ({
    authenticate: (...args) =>
      Effect.map(store.authenticate(...args), (answer) => {
        if (answer === undefined) return undefined
        const { access: _, projectIds: __, ...principal } = answer.principal
        return { ...answer, principal: { ...principal, access: "full" } }
      })
  })),
  mutant(ApiKeyStore, "identifies with access to everything", (store) => ({
    identify: (hash) =>
      Effect.map(store.identify(hash), (principal) => {
        if (principal === undefined) return undefined
        const { projectIds: _, ...rest } = principal
        return rest
      })
  })),
  mutant(ApiKeyStore, "writes down each use", (store, { apiKeys }) => ({
    authenticate: (hash, ...rest) => {
      const row = [...apiKeys.values()].find((row) => row.hash === hash)
      if (row !== undefined) {
        const { lastUsedAt: _, ...key } = row.key
        apiKeys.set(key.id, { ...row, key })
      }
      return store.authenticate(hash, ...rest)
    }
  })),
  mutant(ApiKeyStore, "takes who only asks for who uses", (store, { apiKeys }) => ({
    identify: (hash) =>
      Effect.tap(store.identify(hash), () =>
        Effect.map(DateTime.now, (lastUsedAt) => {
          const row = [...apiKeys.values()].find((row) => row.hash === hash)
          if (row !== undefined) apiKeys.set(row.key.id, { ...row, key: { ...row.key, lastUsedAt } })
        }))
  })),

  mutant(AuditLog, "forgets who did it", (log) => ({
    add: ({ actorId, ...entry }) => log.add(actorId === undefined ? entry : { ...entry, subjectId: actorId })
  })),
  mutant(AuditLog, "shows the entries of any organization", (_, { auditEntries }) => ({
    list: () => Effect.sync(() => ({ items: [...auditEntries.values()].toReversed() }))
  })),

  mutant(AutomationStore, "shows the automations of any organization", (store, { automations }) => ({
    get: (organizationId, idOrName) =>
      Effect.map(store.get(organizationId, idOrName), (found) =>
        found ?? automations.get(idOrName as Automation["id"])?.automation)
  })),
  mutant(AutomationStore, "lists them whatever their status", (store) => ({
    list: (organizationId, { projectId }, page) => store.list(organizationId, projectId === undefined ? {} : { projectId }, page)
  })),
  mutant(AutomationStore, "keeps the old token", (store, { automations }) => ({
    rotateWebhookToken: (organizationId, id, hash, at) =>
      Effect.suspend(() =>
        automations.get(id)?.tokenHash === undefined
          ? store.rotateWebhookToken(organizationId, id, hash, at)
          : Effect.succeed(automations.get(id)?.automation.organizationId === organizationId)
      )
  })),
  mutant(AutomationStore, "changes the status whatever it was", (store) => ({
    update: (organizationId, id, { status, ...patch }, at) =>
      Effect.gen(function*() {
        const found = yield* store.get(organizationId, id)
        const move = status === undefined || found === undefined ? {} : { status: { from: found.status, to: status.to } }
        return yield* store.update(organizationId, id, { ...patch, ...move }, at)
      })
  })),
  mutant(AutomationStore, "removes an automation under its runs", (_, { automations }) => ({
    remove: (organizationId, id) =>
      Effect.sync(() => automations.get(id)?.automation.organizationId === organizationId && automations.delete(id))
  })),

  mutant(BrowserSessionStore, "takes idle sessions for used ones", (store) => ({
    use: (hash, idleMillis) => store.use(hash, idleMillis * 1e6)
  })),
  mutant(BrowserSessionStore, "lets an expired session live for another five seconds", (store) => ({
    use: (hash, idleMillis) => ahead(-5_000, store.use(hash, idleMillis))
  })),
  mutant(BrowserSessionStore, "does not notice that a session is used", (store, { browserSessions }) => ({
    use: (hash, idleMillis) =>
      Effect.suspend(() => {
        const row = [...browserSessions.values()].find((row) => row.hash === hash)
        return Effect.tap(store.use(hash, idleMillis), () => Effect.sync(() => row && browserSessions.set(row.session.id, row)))
      })
  })),
  mutant(BrowserSessionStore, "goes by the clock of who began a session", (store, { browserSessions }) => ({
    create: (session, hash, maxSessions) =>
      Effect.tap(store.create(session, hash, maxSessions), () =>
        Effect.sync(() => browserSessions.set(session.id, { session, hash })))
  })),
  mutant(BrowserSessionStore, "ends anybody's session", (store, { browserSessions }) => ({
    end: (userId, id) => store.end(browserSessions.get(id)?.session.userId ?? userId, id)
  })),
  mutant(BrowserSessionStore, "keeps no session where one is to be kept", (store) => ({
    endAll: (userId) => store.endAll(userId)
  })),
  mutant(BrowserSessionStore, "lets a user have any number", (store) => ({
    create: (session, hash) => store.create(session, hash, Number.MAX_SAFE_INTEGER)
  })),
  mutant(BrowserSessionStore, "begins in two steps", (store, { browserSessions }) => ({
    create: (...args) => torn(browserSessions, store.create(...args))
  })),
  mutant(BrowserSessionStore, "lists the expired ones", (_, { browserSessions }) => ({
    list: (userId) =>
      Effect.sync(() =>
        [...browserSessions.values()].map(({ session }) => session).filter((session) => session.userId === userId).toReversed())
  })),

  mutant(HostStore, "shows the hosts of any organization", (store, { hosts }) => ({
    get: (organizationId, idOrName) => {
      const host = [...hosts.values()].find(({ id, name }) => id === idOrName || name === idOrName)
      return store.get(host?.organizationId ?? organizationId, idOrName)
    }
  })),
  mutant(HostStore, "expires hosts that were seen on the instant", (store) => ({
    expire: (lastSeenBefore, reason, at) => store.expire(later(lastSeenBefore), reason, at)
  })),
  mutant(HostStore, "forgets why runs are held", (store) => ({ seen: (machineId, at) => store.seen(machineId, at) })),
  mutant(HostStore, "registers a machine in two steps", (store, { hosts }) => ({
    register: (...args) => torn(hosts, store.register(...args))
  })),

  mutant(IdempotencyStore, "begins in two steps", (store, { calls }) => ({
    begin: (...args) => torn(calls, store.begin(...args))
  })),
  mutant(IdempotencyStore, "never frees a key", (store) => ({
    begin: (call, _, expiresAt) => store.begin(call, DateTime.makeUnsafe(0), expiresAt)
  })),
  mutant(IdempotencyStore, "does not look at what is called", (store) => ({
    begin: (call, ...rest) => store.begin({ ...call, fingerprint: "" }, ...rest),
    complete: (call, result) => store.complete({ ...call, fingerprint: "" }, result)
  })),
  mutant(IdempotencyStore, "shares the keys of all users", (store, { users }) => ({
    begin: (call, ...rest) => store.begin({ ...call, userId: [...users.keys()][0]! }, ...rest),
    complete: (call, result) => store.complete({ ...call, userId: [...users.keys()][0]! }, result)
  })),

  mutant(InvitationStore, "finds what has expired on the instant", (store) => ({
    find: (hash, at) => store.find(hash, DateTime.add(at, { milliseconds: -1 }))
  })),
  mutant(InvitationStore, "keeps invitations to one address beside each other", (_, { invitations }) => ({
    create: (invitation, hash) => Effect.sync(() => void invitations.set(invitation.id, { invitation, hash }))
  })),
  mutant(InvitationStore, "lets an invitation be accepted again", (store, { invitations }) => ({
    accept: (...args) =>
      Effect.suspend(() => {
        const before = [...invitations]
        return Effect.tap(store.accept(...args), () => Effect.sync(() => before.forEach(([id, row]) => invitations.set(id, row))))
      })
  })),
  mutant(InvitationStore, "uses an invitation up on a conflict", (store, { invitations }) => ({
    accept: (hash, ...rest) =>
      Effect.tapError(store.accept(hash, ...rest), () =>
        Effect.sync(() => [...invitations].forEach(([id, row]) => row.hash === hash && invitations.delete(id))))
  })),
  mutant(InvitationStore, "accepts in two steps", (store, { invitations }) => ({
    accept: (...args) => torn(invitations, store.accept(...args))
  })),
  mutant(InvitationStore, "forgets the password", (store) => ({
    accept: (hash, member, newUser, at) => store.accept(hash, member, newUser && { user: newUser.user }, at)
  })),
  mutant(InvitationStore, "opens any organization", (store, { invitations }) => ({
    accept: (hash, member, newUser, at) => {
      const row = [...invitations.values()].find((row) => row.hash === hash)
      if (row === undefined) return store.accept(hash, member, newUser, at)
      const { invitation } = row
      invitations.set(invitation.id, { ...row, invitation: { ...invitation, organizationId: member.organizationId } })
      return Effect.ensuring(store.accept(hash, member, newUser, at), Effect.sync(() => invitations.has(invitation.id) && invitations.set(invitation.id, row)))
    }
  })),
  mutant(InvitationStore, "takes back the invitations of any organization", (_, { invitations }) => ({
    revoke: (__, id) =>
      Effect.sync(() => {
        const invitation = invitations.get(id)?.invitation
        invitations.delete(id)
        return invitation
      })
  })),

  mutant(McpSessionStore, "gives a session to anybody", (store, { mcpSessions }) => ({
    use: (owner, id, idleMillis) => store.use(mcpSessions.get(id) ?? owner, id, idleMillis)
  })),
  mutant(McpSessionStore, "gives a session to the whole organization", (store, { mcpSessions }) => ({
    use: (owner, id, idleMillis) =>
      store.use({ ...(mcpSessions.get(id) ?? owner), organizationId: owner.organizationId }, id, idleMillis)
  })),
  mutant(McpSessionStore, "ends anybody's session", (store, { mcpSessions }) => ({
    end: (owner, id) => store.end(mcpSessions.get(id) ?? owner, id)
  })),
  mutant(McpSessionStore, "never lets a session go", (store) => ({
    create: (session, options) => store.create(session, { ...options, idleMillis: options.idleMillis * 1e6 })
  })),
  mutant(McpSessionStore, "does not notice that a session is used", (_, { mcpSessions }) => ({
    use: (owner, id) =>
      Clock.clockWith((clock) => Effect.sync(() => {
        const session = mcpSessions.get(id)
        const isTheirs = session?.credential === owner.credential && session.userId === owner.userId &&
          session.organizationId === owner.organizationId
        return isTheirs && DateTime.toEpochMillis(session.expiresAt) > clock.currentTimeMillisUnsafe() ? session : undefined
      }))
  })),
  mutant(McpSessionStore, "lets a credential have any number", (store) => ({
    create: (session, options) => store.create(session, { ...options, maxSessions: Number.MAX_SAFE_INTEGER })
  })),
  mutant(McpSessionStore, "begins in two steps", (store, { mcpSessions }) => ({
    create: (...args) => torn(mcpSessions, store.create(...args))
  })),
  mutant(McpSessionStore, "numbers messages in two steps", (store, { mcpSessions }) => ({
    say: (...args) => torn(mcpSessions, store.say(...args))
  })),
  mutant(McpSessionStore, "keeps all messages", (store) => ({
    say: (id, json) => store.say(id, json, Number.MAX_SAFE_INTEGER)
  })),
  mutant(McpSessionStore, "keeps messages for whoever is gone", (store, { mcpMessages }) => ({
    say: (id, json, maxMessages) =>
      Effect.tap(store.say(id, json, maxMessages), () =>
        Effect.sync(() => mcpMessages.has(id) || mcpMessages.set(id, [{ sequence: 1, json }])))
  })),
  mutant(McpSessionStore, "cancels everywhere", (_, { mcpListeners }) => ({
    cancel: (__, request) => Effect.sync(() => mcpListeners.forEach(({ tell }) => tell({ _tag: "Cancel", request })))
  })),
  mutant(McpSessionStore, "tells nobody of anything", () => ({ listen: () => Effect.void })),
  mutant(ApiKeyStore, "revokes in silence", (_, { apiKeys }) => ({
    revoke: (organizationId, __, idOrName, at) =>
      Effect.sync(() => {
        const row = [...apiKeys.values()].find(({ key }) => key.id === idOrName && key.organizationId === organizationId)
        if (row !== undefined) apiKeys.set(row.key.id, { ...row, key: { ...row.key, revokedAt: at } })
        return row?.key
      })
  })),
  mutant(McpSubscriptionStore, "takes any number", (store) => ({
    add: (id, subscription) => store.add(id, subscription, 1000)
  })),
  mutant(McpSubscriptionStore, "counts in two steps", (store, { mcpSubscriptions }) => ({
    add: (...args) =>
      Effect.gen(function*() {
        const before = new Map(mcpSubscriptions.get(args[0]))
        yield* Effect.yieldNow
        mcpSubscriptions.set(args[0], before)
        return yield* store.add(...args)
      })
  })),
  mutant(McpSubscriptionStore, "subscribes by noting a revision", (store) => ({
    note: (id, subscription) => Effect.asVoid(store.add(id, subscription, 1000))
  })),
  mutant(McpSubscriptionStore, "forgets what the client was told", () => ({ note: () => Effect.void })),
  mutant(McpSubscriptionStore, "keeps the first revision", (store) => ({
    add: (id, subscription, max) =>
      Effect.flatMap(store.list(id), (all) =>
        all.some(({ uri }) => uri === subscription.uri) ? Effect.succeed(true) : store.add(id, subscription, max))
  })),
  mutant(McpSubscriptionStore, "subscribes whoever is gone", (store, { mcpSessions, mcpSubscriptions }) => ({
    add: (id, subscription, max) =>
      mcpSessions.has(id) ? store.add(id, subscription, max) : Effect.sync(() => {
        mcpSubscriptions.set(id, new Map([[subscription.uri, subscription.revision]]))
        return true
      })
  })),
  mutant(McpQuestionStore, "takes the last answer", (store, { mcpQuestions }) => ({
    answer: (id, key, json) => {
      if (mcpQuestions.get(id)?.has(key) === true) mcpQuestions.get(id)!.set(key, undefined)
      return store.answer(id, key, json)
    }
  })),
  mutant(McpQuestionStore, "takes an answer to what was not asked", (store) => ({
    answer: (id, key, json) => Effect.andThen(store.open(id, key), store.answer(id, key, json))
  })),
  mutant(McpQuestionStore, "never forgets an answer", () => ({ close: () => Effect.void })),
  mutant(McpQuestionStore, "tells nobody of an answer", (_, { mcpQuestions }) => ({
    answer: (id, key, json) =>
      Effect.sync(() => {
        const theirs = mcpQuestions.get(id)
        if (theirs?.has(key) !== true || theirs.get(key) !== undefined) return false
        theirs.set(key, json)
        return true
      })
  })),
  mutant(McpSessionStore, "forgets the level", () => ({ setLogLevel: () => Effect.void })),

  mutant(OrganizationStore, "founds an organization though the e-mail is taken", (store, { organizations }) => ({
    found: (organization, ...rest) =>
      Effect.tapError(store.found(organization, ...rest), () => Effect.sync(() => organizations.set(organization.id, organization)))
  })),
  mutant(OrganizationStore, "founds several first ones", (store) => ({
    found: (organization, user, owner) => store.found(organization, user, owner)
  })),
  mutant(OrganizationStore, "founds the first in two steps", (store, { organizations }) => ({
    found: (...args) => torn(organizations, store.found(...args))
  })),
  mutant(OrganizationStore, "answers the organizations of everybody", (store, { members }) => ({
    ofUser: () =>
      Effect.map(store.organizations(), (all) =>
        all.map((organization) => ({
          organization,
          member: [...members.values()].find(({ organizationId }) => organizationId === organization.id)!
        })))
  })),
  mutant(UserStore, "lets a user work in any organization", (_, { users }) => ({
    setActiveOrganization: (id, activeOrganizationId, at) =>
      Effect.sync(() => {
        const user = users.get(id)
        if (user !== undefined) users.set(id, { ...user, activeOrganizationId, updatedAt: at })
        return user !== undefined
      })
  })),
  mutant(UserStore, "keeps the first password", (store) => ({
    setPasswordHash: (id, hash, at) =>
      Effect.flatMap(store.passwordHash(id), (before) => store.setPasswordHash(id, before ?? hash, at))
  })),
  mutant(UserStore, "shows the hash with the user", (store, { passwordHashes }) => ({
    find: (id) => Effect.map(store.find(id), (user) => user && { ...user, passwordHash: passwordHashes.get(id) })
  })),
  mutant(UserStore, "tells e-mails apart by letter case", (store) => ({
    byEmail: (email) => Effect.map(store.byEmail(email), (user) => user?.email === email ? user : undefined)
  })),
  mutant(MemberStore, "knows the members of any organization", (_, { members }) => ({
    find: (_, userId) => Effect.sync(() => [...members.values()].find((member) => member.userId === userId))
  })),
  mutant(MemberStore, "adds a member twice", (_, { members }) => ({
    add: (__, member) => Effect.sync(() => void members.set(member.id, member))
  })),
  mutant(MemberStore, "gives an owner another role", (store, { members }) => ({
    setRole: (organizationId, userId, role, at) =>
      Effect.suspend(() => {
        const owner = [...members.values()].find((member) => member.organizationId === organizationId && member.userId === userId)
        if (owner?.role !== "owner") return store.setRole(organizationId, userId, role, at)
        members.set(owner.id, { ...owner, role })
        return Effect.succeed({ ...owner, role })
      })
  })),
  mutant(MemberStore, "gives the role in every organization", (store, { members }) => ({
    setRole: (organizationId, userId, role, at) =>
      Effect.tap(store.setRole(organizationId, userId, role, at), () =>
        Effect.sync(() => members.forEach((member, id) => member.userId === userId && members.set(id, { ...member, role }))))
  })),
  mutant(MemberStore, "leaves the keys of who is removed", (store, { apiKeys }) => ({
    remove: (...args) =>
      Effect.suspend(() => {
        const before = [...apiKeys]
        return Effect.tap(store.remove(...args), () => Effect.sync(() => before.forEach(([id, row]) => apiKeys.set(id, row))))
      })
  })),
  mutant(MemberStore, "ends the keys of who is removed everywhere", (store, { apiKeys }) => ({
    remove: (organizationId, userId, at) =>
      Effect.tap(store.remove(organizationId, userId, at), (removed) =>
        Effect.sync(() =>
          apiKeys.forEach((row, id) =>
            removed && row.key.userId === userId && apiKeys.set(id, { ...row, key: { ...row.key, revokedAt: at } }))))
  })),
  mutant(MemberStore, "removes in silence", (store, { mcpListeners }) => ({
    remove: (...args) =>
      Effect.suspend(() => {
        const listeners = [...mcpListeners]
        mcpListeners.clear()
        return Effect.tap(store.remove(...args), () => Effect.sync(() => listeners.forEach((each) => mcpListeners.add(each))))
      })
  })),
  mutant(MemberStore, "leaves tasks with who is removed", (store, { tasks }) => ({
    remove: (...args) =>
      Effect.suspend(() => {
        const before = [...tasks]
        return Effect.tap(store.remove(...args), () => Effect.sync(() => before.forEach(([id, task]) => tasks.set(id, task))))
      })
  })),
  mutant(RateLimiter, "counts all attempts together", (limiter) => ({ hit: (_, limit) => limiter.hit("all", limit) })),
  mutant(RateLimiter, "keeps windows open five seconds too long", (limiter) => ({
    hit: (bucket, limit) =>
      Effect.map(limiter.hit(bucket, { ...limit, windowSeconds: limit.windowSeconds + 5 }), (usage) => ({ ...usage, limit }))
  })),
  mutant(RateLimiter, "counts in two steps", (limiter, { windows }) => ({
    hit: (...args) => torn(windows, limiter.hit(...args))
  })),

  mutant(ProjectStore, "shows the projects of any organization", (store, { projects }) => ({
    get: (organizationId, idOrName) => {
      const project = [...projects.values()].find(({ id, name }) => id === idOrName || name === idOrName)
      return store.get(project?.organizationId ?? organizationId, idOrName)
    }
  })),
  mutant(ProjectStore, "gives a name twice", (_, { projects }) => ({
    create: (project) => Effect.sync(() => void projects.set(project.id, project))
  })),
  mutant(ProjectStore, "removes a project under its automations", (_, { projects }) => ({
    remove: (organizationId, id) =>
      Effect.sync(() => projects.get(id)?.organizationId === organizationId && projects.delete(id))
  })),
  mutant(ProjectStore, "keeps setup for null", (store) => ({
    update: (organizationId, id, { setup, ...patch }, at) =>
      store.update(organizationId, id, setup === null || setup === undefined ? patch : { ...patch, setup }, at)
  })),

  mutant(RunEventStore, "numbers in two steps", (store, { journals }) => ({
    append: (...args) => torn(journals, store.append(...args))
  })),
  mutant(RunEventStore, "keeps all output", (store) => ({
    append: (organizationId, runId, events) => store.append(organizationId, runId, events, Number.MAX_SAFE_INTEGER)
  })),
  mutant(RunEventStore, "counts characters for bytes", (store) => ({
    append: (organizationId, runId, events, maxOutputBytes) => {
      const excess = events.reduce((sum, { text = "" }) => sum + new TextEncoder().encode(text).length - text.length, 0)
      return store.append(organizationId, runId, events, maxOutputBytes + excess)
    }
  })),
  mutant(RunEventStore, "answers the oldest for the newest", (store) => ({
    list: (organizationId, runId, after, limit) => store.list(organizationId, runId, after === "newest" ? 0 : after, limit)
  })),
  mutant(RunEventStore, "shows the events of any organization's run", (store, { runs }) => ({
    list: (organizationId, runId, ...rest) => store.list(runs.get(runId)?.run.organizationId ?? organizationId, runId, ...rest)
  })),

  mutant(RunQueue, "claims in two steps", (queue, { runs }) => ({
    claim: (...args) => torn(runs, queue.claim(...args))
  })),
  mutant(RunQueue, "renews under any fence", (queue, database) => ({
    renew: (lease, leaseMillis) => queue.renew(refenced(database, lease), leaseMillis)
  })),
  mutant(RunQueue, "updates under any fence", (queue, database) => ({
    update: (lease, ...rest) => queue.update(refenced(database, lease), ...rest)
  })),
  mutant(RunQueue, "renews a lease that has expired", (queue) => ({
    renew: (lease, leaseMillis) => ahead(-5_000, queue.renew(lease, leaseMillis + 5_000))
  })),
  mutant(RunQueue, "reaps five seconds too early", (queue) => ({ reap: () => ahead(5_000, queue.reap()) })),
  mutant(RunQueue, "reclaims what has expired alone", (queue) => ({ reclaim: () => queue.reap() })),
  mutant(RunQueue, "counts a refunded attempt", (queue) => ({
    update: (lease, from, to, patch) => queue.update(lease, from, to, patch)
  })),
  mutant(RunQueue, "forgets the machine's cap", (queue) => ({
    claim: (machineId, options) => queue.claim(machineId, { ...options, maxConcurrentRuns: Number.MAX_SAFE_INTEGER })
  })),
  mutant(RunQueue, "tells nobody of changes", () => ({ changes: Stream.concat(Stream.make(undefined), Stream.never) })),
  mutant(RunQueue, "takes a cancelled run for lost", (queue) => ({
    renew: (lease, leaseMillis) =>
      Effect.map(queue.renew(lease, leaseMillis), (answer) => answer === "cancelling" ? "lost" : answer)
  })),

  mutant(RunStore, "shows the runs of any organization", (store, { runs }) => ({
    get: (organizationId, id) => store.get(runs.get(id)?.run.organizationId ?? organizationId, id)
  })),
  mutant(RunStore, "keeps payloads as text", (store) => ({
    payload: (organizationId, id) =>
      Effect.map(store.payload(organizationId, id), (bytes) =>
        bytes && new TextEncoder().encode(new TextDecoder().decode(bytes)))
  })),
  mutant(RunStore, "forgets what ended on the instant", (store) => ({
    forget: (endedBefore) => store.forget(later(endedBefore))
  })),
  mutant(RunStore, "cancels what has ended", (store, { runs }) => ({
    cancel: (organizationId, id, at) =>
      Effect.gen(function*() {
        const run = yield* store.cancel(organizationId, id, at)
        const row = runs.get(id)
        if (run?.status !== "succeeded" || row === undefined) return run
        const cancelled: Run = { ...row.run, status: "cancelled" }
        runs.set(id, { ...row, run: cancelled })
        return cancelled
      })
  })),
  mutant(RunStore, "cancels in two steps", (store, { runs }) => ({
    cancel: (...args) => torn(runs, store.cancel(...args))
  })),

  mutant(TaskStatusStore, "seeds in two steps", (store, { taskStatuses }) => ({
    seed: (...args) => torn(taskStatuses, store.seed(...args))
  })),
  mutant(TaskStatusStore, "seeds beside what there is", (store, { taskStatuses }) => ({
    seed: (organizationId, statuses) =>
      Effect.suspend(() => {
        for (const status of statuses) taskStatuses.set(status.id, status)
        return store.list(organizationId)
      })
  })),
  mutant(TaskStatusStore, "answers a later caller's own statuses", (store) => ({
    seed: (organizationId, statuses) => Effect.as(store.seed(organizationId, statuses), statuses)
  })),
  mutant(TaskStatusStore, "shows the statuses of any organization", (_, { taskStatuses }) => ({
    list: () => Effect.sync(() => [...taskStatuses.values()])
  })),

  mutant(TaskStore, "shows the tasks of any organization", (store, { tasks }) => ({
    get: (organizationId, idOrSlug) => {
      const task = [...tasks.values()].find(({ id, slug }) => id === idOrSlug || slug === idOrSlug)
      return store.get(task?.organizationId ?? organizationId, idOrSlug)
    }
  })),
  mutant(TaskStore, "gives a slug twice", (_, { tasks }) => ({
    create: (task) => Effect.sync(() => void tasks.set(task.id, task))
  })),
  mutant(TaskStore, "updates in two steps", (store, { tasks }) => ({
    update: (...args) => torn(tasks, store.update(...args))
  })),
  mutant(TaskStore, "keeps the assignee for null", (store) => ({
    update: (organizationId, id, { assigneeId, ...patch }, at) =>
      store.update(organizationId, id, assigneeId === null || assigneeId === undefined ? patch : { ...patch, assigneeId }, at)
  })),
  mutant(TaskStore, "takes a search for a pattern", (store) => ({
    list: (organizationId, { search, ...filter }, page) =>
      Effect.map(store.list(organizationId, filter, page), ({ items, ...rest }) => ({
        items: search === undefined ? items : items.filter(({ title }) =>
          new RegExp(search.replace(/\\/g, "\\\\").replace(/[%_]/g, ".*"), "i").test(title)),
        ...rest
      }))
  })),
  mutant(TaskStore, "takes no statuses for any", (store) => ({
    list: (organizationId, { statusIds, ...filter }, page) =>
      store.list(organizationId, statusIds === undefined || statusIds.length === 0 ? filter : { ...filter, statusIds }, page)
  })),
  mutant(TaskStore, "leaves workspaces with a task that is gone", (_, { tasks }) => ({
    remove: (organizationId, id) => Effect.sync(() => tasks.get(id)?.organizationId === organizationId && tasks.delete(id))
  })),

  mutant(WebhookInbox, "keeps windows open five seconds too long", (inbox) => ({
    receive: ({ limit, ...delivery }) =>
      limit === undefined ? inbox.receive(delivery) : Effect.map(
        inbox.receive({ ...delivery, limit: { ...limit, windowSeconds: limit.windowSeconds + 5 } }),
        (verdict) => "usage" in verdict && verdict.usage !== undefined ? { ...verdict, usage: { ...verdict.usage, limit } } : verdict
      )
  })),
  mutant(WebhookInbox, "counts in two steps", (inbox, { windows }) => ({
    receive: (delivery) => torn(windows, inbox.receive(delivery))
  })),
  mutant(WebhookInbox, "takes any token for the right one", (inbox, { automations }) => ({
    receive: (delivery) => {
      const tokenHash = automations.get(delivery.automationId)?.tokenHash
      return inbox.receive(tokenHash === undefined ? delivery : { ...delivery, tokenHash })
    }
  })),
  mutant(WebhookInbox, "looks at the state before the limit", (inbox, { automations }) => ({
    receive: ({ limit, ...delivery }) => {
      const paused = automations.get(delivery.automationId)?.automation.status === "paused"
      return inbox.receive(limit === undefined || paused ? delivery : { ...delivery, limit })
    }
  })),
  mutant(WebhookInbox, "answers before the run is stored", (inbox, { runs }) => ({
    receive: (delivery) => Effect.tap(inbox.receive(delivery), () => Effect.sync(() => delivery.run && runs.delete(delivery.run.id)))
  })),

  mutant(WebhookRefusalStore, "counts in two steps", (store, { webhookRefusals }) => ({
    note: (refusal, at) => torn(webhookRefusals, store.note(refusal, at))
  })),
  mutant(WebhookRefusalStore, "shows the refusals of any organization", (_, { webhookRefusals }) => ({
    list: (_organizationId, id) =>
      Effect.sync(() => [...webhookRefusals.values()].filter(({ automationId }) => automationId === id))
  })),

  mutant(WorkspaceStore, "shows the workspaces of any organization", (store, { workspaces }) => ({
    get: (organizationId, idOrName) => {
      const workspace = [...workspaces.values()].find(({ id, name }) => id === idOrName || name === idOrName)
      return store.get(workspace?.organizationId ?? organizationId, idOrName)
    }
  })),
  mutant(WorkspaceStore, "moves in two steps", (store, { workspaces }) => ({
    transition: (...args) => torn(workspaces, store.transition(...args))
  })),
  mutant(WorkspaceStore, "keeps a failure when it leaves failed", (store, { workspaces }) => ({
    transition: (organizationId, id, from, to, patch, at) => {
      const failure = patch.failure ?? workspaces.get(id)?.failure
      return store.transition(organizationId, id, from, to, failure === undefined ? patch : { ...patch, failure }, at)
    }
  })),
  mutant(WorkspaceStore, "lists workspaces of any task", (store) => ({
    list: (organizationId, { projectId, status }, page) =>
      store.list(organizationId, { ...(projectId && { projectId }), ...(status && { status }) }, page)
  })),
  mutant(WorkspaceStore, "lists deleted workspaces", (store, { workspaces }) => ({
    list: (organizationId, filter, page) =>
      filter.status === undefined
        ? Effect.sync(() => ({
          items: [...workspaces.values()].filter((workspace) => workspace.organizationId === organizationId).toReversed()
        }))
        : store.list(organizationId, filter, page)
  }))
]

describe("the contract", () => {
  it("has a mutant at least, of whichever port", () => {
    const ports = allStoreContracts.map(({ port }) => port)
    assert.deepStrictEqual(ports.filter((port) => !mutants.some((mutant) => mutant.port === port)), [])
  })

  for (const { tests, port } of allStoreContracts) {
    it(`of ${port} finds no fault with the memory adapter by the same way`, async () => {
      assert.deepStrictEqual(await Effect.runPromise(failedTests(tests({ clock: "test" }), healthy)), [])
    })
  }

  for (const { layer, name, port } of mutants) {
    it.concurrent(`of ${port} notices an adapter that ${name}`, async () => {
      const { tests } = allStoreContracts.find((contract) => contract.port === port)!
      const failed = await Effect.runPromise(failedTests(tests({ clock: "test" }), layer))
      assert.notDeepEqual(failed, [])
    }, 60_000)
  }
})
