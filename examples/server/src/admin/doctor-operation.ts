import { Agent } from "@coppice/core"
import { HostGateway } from "@coppice/core/ports"
import { checkDatabase } from "@coppice/adapter-store"
import { Effect, Schema } from "effect"
import { Installation } from "../installation.ts"
import { version } from "../version.ts"
import { defineOperation } from "./operation.ts"

/** What the process that has the data folder knows of its own health. */
export const doctor = defineOperation({
  name: "doctor",
  input: {},
  output: {
    version: Schema.String,
    baseUrl: Schema.String,
    databaseProblem: Schema.optionalKey(Schema.String),
    freeBytes: Schema.Int,
    minFreeBytes: Schema.Int,
    repositoryRoots: Schema.Array(Schema.String),
    agents: Schema.Array(Agent)
  },
  run: Effect.fn(function*() {
    const { baseUrl, config, machine } = yield* Installation
    const { agentLauncher, worktrees } = yield* (yield* HostGateway).connect(machine)
    const databaseProblem = yield* checkDatabase().pipe(
      Effect.as(undefined),
      Effect.catchTag("DatabaseNotReady", ({ message }) => Effect.succeed(message))
    )
    return {
      version,
      baseUrl: baseUrl(),
      ...(databaseProblem === undefined ? {} : { databaseProblem }),
      freeBytes: yield* worktrees.freeBytes(),
      minFreeBytes: config.minFreeBytes,
      repositoryRoots: config.repositoryRoots,
      agents: yield* agentLauncher.agents()
    }
  })
})
