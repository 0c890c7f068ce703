import {
  CurrentPrincipal,
  listResources,
  maxTranscriptLength,
  type NewRunEvent,
  now,
  resourceCatalog,
  resourceParameters,
  type Run
} from "@coppice/core"
import { ProjectStore, RunEventStore, RunStore } from "@coppice/core/ports"
import type { FakeAgent } from "@coppice/testkit/fake"
import { it } from "@effect/vitest"
import { DateTime, Effect, Result, Stream } from "effect"
import { assert, describe } from "vitest"
import { makePlace, type Place } from "./project-place.ts"
import { makeTenant, makeWorld, startWorker, worldLayer } from "./world.ts"

/** What stands at an address of the catalogue. */
const read = (uri: string) =>
  Effect.suspend(() => {
    for (const resource of resourceCatalog) {
      const parameters = resourceParameters(resource.uri, uri)
      if (parameters !== undefined) return resource.read(parameters)
    }
    return Effect.die(new Error(`There is nothing at ${uri}`))
  })

const code = (uri: string) =>
  Effect.map(Effect.result(read(uri)), (result) => result._tag === "Failure" ? result.failure.code : "it succeeded")

const print = Effect.fnUntraced(function*(run: Run, ...events: ReadonlyArray<Partial<NewRunEvent>>) {
  const at = yield* now
  yield* (yield* RunEventStore).append(
    run.organizationId,
    run.id,
    events.map((event) => ({ type: "output", stream: "stdout", attempt: 1, at, ...event })),
    4 * 1024 * 1024
  )
})

describe("an address of a template", () => {
  const template = "a+b://things/{thing}/parts/{part}"
  it.each<[string, object | undefined]>([
    ["a+b://things/1/parts/2", { thing: "1", part: "2" }],
    ["a+b://things/a%2Fb/parts/%C3%A9", { thing: "a/b", part: "é" }],
    ["a+b://things/1/parts/", undefined],
    ["a+b://things/1/parts/2/3", undefined],
    ["a+b://things/1/parts/2?x", undefined],
    ["a+b://things/%zz/parts/2", undefined],
    ["aab://things/1/parts/2", undefined]
  ])("%s is read as it stands", (uri, parameters) => {
    assert.deepEqual(resourceParameters(template, uri), parameters)
  })
})

describe("the resources", () => {
  it.effect("hold a run's record, its payload as it came, and what its agent changed and printed", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      world.fake.script("reviewer", ({ change, print }: FakeAgent) =>
        print("One\n").pipe(Effect.andThen(change({ "NEW.md": "New\n" })), Effect.as({ exitCode: 0 })))
      yield* startWorker()
      const automation = yield* world.automate()
      const { id } = yield* world.run(automation.id, { pull: "é\u2028" })
      const run = yield* world.reaches(id, "succeeded")
      const record = JSON.parse(yield* world.as(read(`coppice://runs/${id}`)) as Effect.Effect<string>)
      assert.include(record, { id, status: "succeeded", organizationId: world.organizationId, updatedAt: DateTime.formatIso(run.updatedAt) })
      assert.strictEqual(yield* world.as(read(`coppice://runs/${id}/payload`)), JSON.stringify({ pull: "é\u2028" }))
      assert.strictEqual(yield* world.as(read(`coppice://runs/${id}/transcript`)), "One\n")
      assert.include(yield* world.as(read(`coppice://workspaces/${run.workspaceId}/diff`)), "+New")
      const workspace = (yield* world.workspaces)[0]!
      assert.strictEqual(yield* world.as(code(`coppice://workspaces/${encodeURIComponent(workspace.name)}/diff`)), "NOT_FOUND")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("are not found by another organization, nor by an id that was never given", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* startWorker()
      const { id } = yield* world.run((yield* world.automate()).id)
      const { workspaceId } = yield* world.reaches(id, "succeeded")
      const stranger = yield* makeTenant("other")
      const unknown = "0198c5a0-0000-7000-8000-00000000ffff"
      for (const [run, workspace] of [[id, workspaceId!], [unknown, unknown], ["nonsense", "nonsense"]] as const) {
        for (const uri of [`runs/${run}`, `runs/${run}/payload`, `runs/${run}/transcript`, `workspaces/${workspace}/diff`]) {
          assert.strictEqual(yield* stranger.as(code(`coppice://${uri}`)), "NOT_FOUND", uri)
          if (run !== id) assert.strictEqual(yield* world.as(code(`coppice://${uri}`)), "NOT_FOUND", uri)
        }
      }
      assert.deepEqual(yield* stranger.as(listResources(resourceCatalog, undefined)), { items: [] })
    }).pipe(Effect.provide(worldLayer)))

  it.effect("show the newest of a long transcript, say what they leave out, and where an attempt began anew", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const run = yield* world.run((yield* world.automate()).id)
      const transcript = world.as(read(`coppice://runs/${run.id}/transcript`))
      yield* print(run, { text: "one\n" }, { type: "output_dropped", bytes: 7 }, { type: "setup_output", text: "make\n" })
      yield* print(run, { text: "two\n", attempt: 2 }, { text: "three\n", attempt: 2, stream: "stderr" })
      assert.strictEqual(yield* transcript, "one\n\n[7 bytes of output were dropped]\n\n[Attempt 2]\ntwo\nthree\n")
      // Two events more than are read at once, and the last word of the oldest is half a character's.
      for (let part = 0; part < 3; part++) {
        yield* print(run, ...Array.from({ length: 600 }, () => ({ text: "😀".repeat(100), attempt: 2 })))
      }
      yield* print(run, { text: "end", attempt: 2 })
      const long = (yield* transcript) as string
      const [remark, ...rest] = long.split("\n")
      assert.include(remark, "left out")
      assert.strictEqual(rest.join("\n"), `${"😀".repeat(maxTranscriptLength / 2 - 2)}end`)
    }).pipe(Effect.provide(worldLayer)))

  it.effect("say that a payload is not kept any more", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      yield* startWorker()
      const { id } = yield* world.run((yield* world.automate()).id)
      yield* world.reaches(id, "succeeded")
      yield* (yield* RunStore).forget(DateTime.add(yield* now, { days: 1 }))
      assert.strictEqual(yield* world.as(code(`coppice://runs/${id}/payload`)), "NOT_FOUND")
      assert.strictEqual(yield* world.as(read(`coppice://runs/${id}/transcript`)), "")
    }).pipe(Effect.provide(worldLayer)))

  it.effect("are listed page by page, every run once, the newest first", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const automation = yield* world.automate()
      const ids: Array<string> = []
      for (let number = 0; number < 5; number++) ids.unshift((yield* world.run(automation.id)).id)
      const seen: Array<string> = []
      let cursor: string | undefined
      do {
        const page = yield* world.as(listResources(resourceCatalog, cursor, 2))
        assert.isAtMost(page.items.length, 2)
        seen.push(...page.items.map(({ uri }) => uri))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      assert.deepEqual(seen, ids.map((id) => `coppice://runs/${id}`))
      for (const bad of ["", "x", "1", "-1.", `0.${"a".repeat(201)}`]) {
        const result = yield* Effect.result(world.as(listResources(resourceCatalog, bad)))
        assert.isTrue(result._tag === "Failure" && result.failure.code === "INVALID_REQUEST", bad)
      }
    }).pipe(Effect.provide(worldLayer)))

  it.effect("that can be watched have another revision in each state, and say when it is the last one", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const { id: runId } = yield* world.run((yield* world.automate()).id)
      const watched = resourceCatalog.filter(({ watch }) => watch !== undefined)
      assert.deepEqual(watched.map(({ uri }) => uri), ["coppice://runs/{runId}"])
      const { changes, revision } = watched[0]!.watch!
      const queued = yield* world.as(revision({ runId }))
      assert.isFalse(queued.final)
      yield* world.cancel(runId)
      const cancelled = yield* world.as(revision({ runId }))
      assert.isTrue(cancelled.final)
      assert.notStrictEqual(cancelled.revision, queued.revision)
      assert.isTrue((yield* world.as(Stream.runHead(changes)))._tag === "Some")
    }).pipe(Effect.provide(worldLayer)))
})

describe("a credential for some projects", () => {
  it.effect("reads, lists and watches what is of these, and finds nothing of another", () =>
    Effect.gen(function*() {
      const world = yield* makeWorld
      const [mine, theirs] = [yield* makePlace(world, "mine"), yield* makePlace(world, "theirs")]
      const project = yield* ProjectStore.use((store) => store.get(world.organizationId, mine.byId.project))
      const bound = { ...world.principal, projectIds: [project!.id] }
      const as = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideService(effect, CurrentPrincipal, bound)
      const uris = ({ byId }: Place) => [
        ...["", "/payload", "/transcript"].map((part) => `coppice://runs/${byId.endedRun}${part}`),
        `coppice://workspaces/${byId.workspace}/diff`
      ]
      for (const uri of uris(mine)) assert.strictEqual(yield* as(code(uri)), "it succeeded", uri)
      for (const uri of uris(theirs)) assert.strictEqual(yield* as(code(uri)), "NOT_FOUND", uri)
      const listed = JSON.stringify((yield* as(listResources(resourceCatalog, undefined))).items)
      assert.include(listed, mine.byId.queuedRun)
      assert.notInclude(listed, theirs.byId.queuedRun)
      const { watch } = resourceCatalog.find(({ watch }) => watch !== undefined)!
      const revision = (runId: string) => Effect.map(Effect.result(as(watch!.revision({ runId }))), Result.isSuccess)
      assert.isTrue(yield* revision(mine.byId.queuedRun))
      assert.isFalse(yield* revision(theirs.byId.queuedRun))
    }).pipe(Effect.provide(worldLayer)))
})
