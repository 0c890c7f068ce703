import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { NoSkippedTests } from "./scripts/vitest/no-skipped-tests.ts"

// Tests read each package's sources, not its build: the `development` condition of the packages' exports.
const conditions = ["development", "node", "import", "module", "default"]

const folders = ["{packages,examples}/*/test", "scripts/test"]
const long = folders.map((folder) => `${folder}/**/*.full.test.ts`)

const config = (test: { include: Array<string>; exclude: Array<string>; testTimeout: number }) =>
  defineConfig({
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      globalSetup: ["packages/testkit/src/postgres/global-setup.ts"],
      reporters: ["default", new NoSkippedTests()],
      hookTimeout: 120_000,
      // Many tests wait for a process, a lease or a disk: on two cores one worker, the default, would wait along.
      maxWorkers: Math.max(4, availableParallelism()),
      ...test
    }
  })

/** What takes long: `npm run test:full`. */
export const full = config({ include: long, exclude: [], testTimeout: 300_000 })

export default config({
  include: folders.map((folder) => `${folder}/**/*.test.ts`),
  exclude: long,
  testTimeout: 60_000
})
