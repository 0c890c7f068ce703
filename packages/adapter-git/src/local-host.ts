import { HostOffline } from "@coppice/core"
import { HostGateway } from "@coppice/core/ports"
import { Effect, Layer, Scope } from "effect"
import { makeAgentLauncher } from "./agent-launcher.ts"
import { makeGit } from "./git/git.ts"
import { hostContext } from "./host-context.ts"
import type { LocalHostOptions } from "./local-host-options.ts"
import { makeRepositories } from "./repositories.ts"
import { makeWorktrees } from "./worktrees.ts"

/** The way to this machine, and to no other. When the scope ends, so does every process that was started. */
export const makeLocalHost = (
  options: LocalHostOptions
): Effect.Effect<HostGateway["Service"], never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.sync(() => hostContext(options))
    const git = makeGit(context)
    const connection = {
      repositories: makeRepositories(context, git),
      worktrees: makeWorktrees(context, git),
      agentLauncher: yield* makeAgentLauncher(context)
    }
    return {
      connect: (host) =>
        host.machineId === options.machineId
          ? Effect.succeed(connection)
          : Effect.fail(
            new HostOffline({
              message: `The host "${host.name}" is another machine, and this one has no way to it.`,
              hint: "Ask the service that runs there."
            })
          )
    }
  })

/** `makeLocalHost` as the gateway of a composition. */
export const localHostLayer = (options: LocalHostOptions): Layer.Layer<HostGateway> =>
  Layer.effect(HostGateway, makeLocalHost(options))
