import type { PGlite } from "@electric-sql/pglite"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import * as fs from "node:fs"

/** The part of Emscripten's view of an open file, or directory, that syncing needs. */
interface OpenFile {
  readonly nfd: number
}

interface EmscriptenModule {
  readonly HEAPU8: Uint8Array<ArrayBuffer>
  readonly NODEFS: { readonly stream_ops: { fsync?: (file: OpenFile) => number } }
}

type Import = (...args: ReadonlyArray<unknown>) => unknown
type Imports = Record<string, Record<string, Import>>
/** An instance of WebAssembly; its exported globals hold the addresses of PostgreSQL's variables. */
interface Instance {
  readonly exports: Record<string, { readonly value: number }>
}
type Instantiate = (imports: Imports, done: (instance: Instance, module: unknown) => void) => unknown

export interface Hooks {
  /** Called after each sync to the disk. */
  readonly onSync: () => void
  /** Asked while a statement runs, whenever it comes to a place where asking costs little. */
  readonly isCancelled: () => boolean
}

/**
 * PGlite's Node file system with what a durable database needs added, and the one way into a running statement.
 *
 * PGlite's own has no `fsync`, so that a commit would be in the kernel's hands only.
 */
export class DurableFileSystem extends NodeFS {
  readonly #hooks: Hooks

  constructor(directory: string, hooks: Hooks) {
    super(directory)
    this.#hooks = hooks
  }

  override async init(pg: PGlite, options: Parameters<NodeFS["init"]>[1]): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pg, options)
    let module: EmscriptenModule | undefined
    let exports: Instance["exports"] = {}

    const attach = (loaded: unknown): void => {
      module = loaded as EmscriptenModule
      module.NODEFS.stream_ops.fsync = (file) => {
        // What fails here ends the thread (see worker.ts), and the next one reads from the log what is really there.
        fs.fsyncSync(file.nfd)
        this.#hooks.onSync()
        return 0
      }
    }

    // What PostgreSQL's own SIGINT handler does, done from a function that the statement calls: no signal reaches a
    // WebAssembly module, and nothing else runs in this thread until the statement ends.
    const raise = (): void => {
      const words = new Int32Array(module!.HEAPU8.buffer)
      const address = (name: string): number => exports[name]!.value >> 2
      words[address("QueryCancelPending")] = 1
      words[address("InterruptPending")] = 1
      words[words[address("MyLatch")]! >> 2] = 1
    }

    const instantiate = (emscriptenOpts as { instantiateWasm: Instantiate }).instantiateWasm
    const withCancellation: Instantiate = (imports, done) => {
      watchCalls(imports, this.#hooks.isCancelled, raise)
      return instantiate(imports, (instance, compiled) => {
        exports = instance.exports
        done(instance, compiled)
      })
    }

    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [...emscriptenOpts.preRun!, attach],
        instantiateWasm: withCancellation as never
      }
    }
  }
}

const wasi = "wasi_snapshot_preview1"

/** Wraps the calls that long statements make most: reading the clock, which sleeping does, and reading or writing pages. */
const watchCalls = (imports: Imports, isCancelled: () => boolean, raise: () => void): void => {
  const system = imports[wasi]!
  for (const name of ["clock_time_get", "fd_pread", "fd_pwrite", "fd_read", "fd_write"]) {
    const call = system[name]!
    // Emscripten marks some imports with properties, which the wrapper must keep.
    system[name] = Object.assign((...args: ReadonlyArray<unknown>) => {
      if (isCancelled()) raise()
      return call(...args)
    }, call)
  }
}
