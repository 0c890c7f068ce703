import type { Reporter, TestModule, Vitest } from "vitest/node"

const isSet = (name: string): boolean => !["", "0", "false", undefined].includes(process.env[name])

/**
 * A test that was not run proves nothing. On a developer's machine that may be all right (no PostgreSQL for it); where
 * everything has to run, under CI or with COPPICE_REQUIRE_ALL_TESTS=1, a skipped test fails the run.
 */
export class NoSkippedTests implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    // Whoever asks for some tests by name gets those.
    if (this.#vitest?.config.testNamePattern !== undefined) return
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map((test) => `${module.relativeModuleId} > ${test.fullName}`)
    )
    if (skipped.length === 0) return
    const required = isSet("CI") || isSet("COPPICE_REQUIRE_ALL_TESTS")
    const verdict = required ? "and that fails the run (CI or COPPICE_REQUIRE_ALL_TESTS is set)" : "which CI does not accept"
    process.stderr.write(`\n${skipped.length} skipped, ${verdict}:\n${skipped.map((name) => `  ${name}\n`).join("")}`)
    if (required) process.exitCode = 1
  }
}
