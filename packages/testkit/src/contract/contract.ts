import { layer as shareLayer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, type Scope } from "effect"
import { layerWebCrypto, type SecureRandom } from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { describe } from "vitest"

/** One sentence of a port's documentation, and the effect that fails or dies where an adapter does not keep it. */
export interface ContractTest<Ports> {
  readonly title: string
  readonly run: Effect.Effect<void, unknown, Ports | SecureRandom | Scope.Scope>
  /** For what must take long; else vitest's own time-out holds. */
  readonly timeoutMillis?: number
}

/**
 * What an adapter of a port must do, as tests. Called, it registers them with vitest: `name` is the adapter's, `layer`
 * provides it, built once for all tests. No other client may use the same database meanwhile: some verbs touch all of it.
 */
export interface Contract<Ports, Capabilities> {
  (name: string, layer: Layer.Layer<Ports, unknown>, capabilities?: Capabilities): void
  readonly port: string
  readonly tests: (capabilities: Capabilities) => ReadonlyArray<ContractTest<Ports>>
}

type Port<Ports> = Pick<Contract<Ports, never>, "port"> & { readonly tests: ReadonlyArray<ContractTest<Ports>> }

/** Registers the tests of several ports over one layer. */
export const register = <Ports>(
  name: string,
  layer: Layer.Layer<Ports, unknown>,
  options: { readonly testClock: boolean },
  ports: ReadonlyArray<Port<Ports>>
): void =>
  shareLayer(Layer.merge(layer, layerWebCrypto), { excludeTestServices: !options.testClock })(name, (it) => {
    for (const { port, tests } of ports) {
      describe(port, () => {
        for (const { run, timeoutMillis, title } of tests) {
          it.effect(title, () => run, timeoutMillis)
        }
      })
    }
  })

export const contract = <Ports, Capabilities>(
  port: string,
  defaults: Capabilities,
  tests: (capabilities: Capabilities) => ReadonlyArray<ContractTest<Ports>>,
  testClock: (capabilities: Capabilities) => boolean
): Contract<Ports, Capabilities> =>
  Object.assign(
    (name: string, layer: Layer.Layer<Ports, unknown>, capabilities: Capabilities = defaults) =>
      register(name, layer, { testClock: testClock(capabilities) }, [{ port, tests: tests(capabilities) }]),
    { port, tests }
  )

/**
 * Runs a contract's tests without registering them, each on a layer of its own with a test clock, and answers the titles
 * of those that failed: how a broken adapter is shown to be noticed.
 */
export const failedTests = <Ports>(
  tests: ReadonlyArray<ContractTest<Ports>>,
  layer: Layer.Layer<Ports, unknown>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    const failed: Array<string> = []
    for (const { run, title } of tests) {
      const services = Layer.merge(Layer.fresh(layer), layerWebCrypto).pipe(Layer.provideMerge(TestClock.layer()))
      const exit = yield* Effect.exit(Effect.provide(Effect.scoped(run), services))
      if (Exit.isFailure(exit)) {
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        failed.push(title)
      }
    }
    return failed
  })
