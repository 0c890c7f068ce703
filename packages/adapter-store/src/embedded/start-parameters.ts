import { PGlite } from "@electric-sql/pglite"

const settings = {
  // PGlite's own parameters turn syncing off (`-F`), and its `fdatasync` is empty: only `fsync` reaches the disk.
  fsync: "on",
  wal_sync_method: "fsync",
  // A third less resident memory than with the default of 128 MB. What falls out is still in the kernel's cache.
  shared_buffers: "32MB",
  // Well below the thread's own stack (see engine.ts): past that, deeply nested JSON would end the thread.
  max_stack_depth: "1MB"
}

/** What the embedded database is started with. */
export const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
]
