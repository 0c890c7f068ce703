import { Effect } from "effect"
import type { HttpPorts } from "../../src/index.ts"
import type { MatrixContext } from "./matrix.ts"

export const outage = new Error("The database does not answer.")

/** Has a method of a store fail as when its database is lost, while something is tried. */
export const whileBroken = async <Store extends object, A>(
  { runtime }: Pick<MatrixContext, "runtime">,
  port: Effect.Effect<Store, never, HttpPorts>,
  method: keyof Store & string,
  attempt: () => Promise<A>
): Promise<A> => {
  const store = await runtime.runPromise(port) as Record<string, unknown>
  const working = store[method]
  store[method] = () => Effect.die(outage)
  try {
    return await attempt()
  } finally {
    store[method] = working
  }
}
