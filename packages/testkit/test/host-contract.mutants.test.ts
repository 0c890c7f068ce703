// As contract.mutants.full.test.ts, for the ports that reach a host: fakes that are broken in one way each.
import { AgentUnavailable } from "@coppice/core"
import { AgentLauncher, Repositories, Worktrees } from "@coppice/core/ports"
import { allHostContracts, failedTests, type HostPorts } from "@coppice/testkit/contract"
import { FakeHost } from "@coppice/testkit/fake"
import { type Context, DateTime, Effect, Layer, Stream } from "effect"
import { assert, describe, it } from "vitest"
import { fakeHostWithFixture } from "./fake-host-fixture.ts"

interface Mutant {
  readonly port: string
  readonly name: string
  readonly layer: Layer.Layer<HostPorts>
}

/** A fake of a port with some methods exchanged. */
const mutant = <Self, Service extends object>(
  port: Context.Key<Self, Service>,
  name: string,
  change: (service: Service, host: FakeHost["Service"]) => Partial<Service>
): Mutant => ({
  port: port.key.split("/").at(-1)!,
  name,
  layer: Layer.effect(
    port,
    Effect.gen(function*() {
      const service = yield* port
      return { ...service, ...change(service, yield* FakeHost) }
    })
  ).pipe(Layer.provideMerge(fakeHostWithFixture)) as Layer.Layer<HostPorts>
})

const mutants: ReadonlyArray<Mutant> = [
  mutant(AgentLauncher, "starts an agent after the deadline", (launcher) => ({
    start: (launch) => launcher.start({ ...launch, deadline: DateTime.add(launch.deadline, { hours: 1 }) })
  })),
  mutant(AgentLauncher, "tells all events again", (launcher) => ({ watch: (id) => launcher.watch(id, 0) })),
  mutant(AgentLauncher, "keeps the exit to itself", (launcher) => ({
    watch: (id, after) => Stream.filter(launcher.watch(id, after), ({ _tag }) => _tag !== "Exited")
  })),
  mutant(AgentLauncher, "fails to stop what is not there", (launcher, host) => ({
    stop: (id) => host.process(id) === undefined ? Effect.die(new Error("No such session")) : launcher.stop(id)
  })),
  mutant(AgentLauncher, "cuts the prompt", (launcher) => ({
    start: (launch) => launcher.start({ ...launch, prompt: launch.prompt.subarray(0, 4096) })
  })),
  mutant(AgentLauncher, "refuses the same launch again", (launcher, host) => ({
    start: (launch) =>
      Effect.suspend(() =>
        host.process(launch.sessionId) === undefined
          ? launcher.start(launch)
          : Effect.fail(new AgentUnavailable({ message: "It is running already." }))
      )
  })),
  mutant(AgentLauncher, "settles what it has just started", (_, host) => ({
    settle: () => Effect.sync(() => host.running().map(({ launch }) => launch.sessionId))
  })),

  mutant(Repositories, "looks at any path", (repositories) => ({
    inspect: (path) =>
      Effect.catchTag(repositories.inspect(path), "InvalidRequest", () => Effect.succeed({ path, defaultBranch: "main" }))
  })),
  mutant(Repositories, "clones whatever URL", (repositories) => ({
    clone: (request) =>
      Effect.catchTag(repositories.clone(request), "InvalidRequest", () =>
        Effect.succeed({ path: "/data/repositories/x", defaultBranch: "main" }))
  })),
  mutant(Repositories, "pushes by force", (repositories, host) => ({
    push: (request) => {
      host.repository(request.repositoryPath).remotes.get(request.remote ?? "origin")?.branches.delete(request.branch)
      return repositories.push(request)
    }
  })),
  mutant(Repositories, "pushes to origin, whatever remote is named", (repositories) => ({
    push: (request) => repositories.push({ ...request, remote: "origin" })
  })),

  mutant(Worktrees, "leaves a new branch behind", (worktrees, host) => ({
    create: (request) =>
      Stream.onError(worktrees.create(request), () =>
        Effect.sync(() => {
          if (host.repository(request.repositoryPath).branches.has("main")) host.commit(request.repositoryPath, request.branch, {})
        }))
  })),
  mutant(Worktrees, "leaves a worktree behind when it is interrupted", (worktrees) => ({
    create: ({ setup, ...request }) =>
      setup?.commands.some(([program]) => program === "hang") === true
        ? Stream.concat(
          Stream.map(worktrees.create(request), (event) =>
            event._tag === "Ready" ? { _tag: "SetupOutput" as const, text: "going on\n" } : event),
          Stream.never
        )
        : worktrees.create(setup === undefined ? request : { ...request, setup })
  })),
  mutant(Worktrees, "passes over the set-up commands", (worktrees) => ({
    create: (request) => worktrees.create({ ...request, setup: { commands: [] } })
  })),
  mutant(Worktrees, "says once more that it goes on after it is ready", (worktrees) => ({
    create: (request) => Stream.concat(worktrees.create(request), Stream.make({ _tag: "Progress", message: "Done" }))
  })),
  mutant(Worktrees, "takes every worktree for clean", (worktrees) => ({
    status: (worktree) => Effect.map(worktrees.status(worktree), (status) => ({ ...status, dirty: false }))
  })),
  mutant(Worktrees, "cuts a patch anywhere", (worktrees) => ({
    diff: (worktree, options) =>
      Effect.map(worktrees.diff(worktree, { ...options, maxPatchBytes: 1_000_000 }), ({ patch, ...diff }) => ({
        ...diff,
        ...(patch === undefined ? {} : { patch: patch.slice(0, options.maxPatchBytes) }),
        truncated: (patch?.length ?? 0) > options.maxPatchBytes
      }))
  })),
  mutant(Worktrees, "loses work", (worktrees, host) => ({
    remove: (worktree, options) =>
      Effect.tap(worktrees.remove(worktree, { ...options, force: true }), ({ rescueRef }) =>
        Effect.sync(() => host.repository(worktree.repositoryPath).refs.delete(rescueRef ?? "")))
  })),
  mutant(Worktrees, "refuses to remove what is gone", (worktrees) => ({
    remove: (worktree, options) =>
      "path" in worktree && worktree.path !== undefined
        ? Effect.andThen(worktrees.status({ ...worktree, path: worktree.path }), worktrees.remove(worktree, options))
        : worktrees.remove(worktree, options)
  })),
  mutant(Worktrees, "lists the worktrees of all repositories", (_, host) => ({
    list: () => Effect.sync(() => host.worktrees().map(({ path, workspaceId }) => ({ path, workspaceId, headCommit: "" })))
  }))
]

describe("the contract", () => {
  it("has a mutant at least, of whichever port", () => {
    const ports = allHostContracts.map(({ port }) => port)
    assert.deepStrictEqual(ports.filter((port) => !mutants.some((mutant) => mutant.port === port)), [])
  })

  for (const { layer, name, port } of mutants) {
    it.concurrent(`of ${port} notices an adapter that ${name}`, async () => {
      const { tests } = allHostContracts.find((contract) => contract.port === port)!
      const failed = await Effect.runPromise(failedTests(tests({ clock: "test" }), layer))
      assert.notDeepEqual(failed, [])
    }, 60_000)
  }
})
