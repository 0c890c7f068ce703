import { Layer, Logger, References } from "effect"

/** The log goes to standard error, so that standard output holds only what was asked for. */
export const logLayer = (format: "pretty" | "json" | undefined, level: "Info" | "Warn" = "Info") =>
  Layer.mergeAll(
    Logger.layer([
      (format ?? (process.stderr.isTTY ? "pretty" : "json")) === "pretty"
        ? Logger.consolePretty({ mode: "tty", colors: process.stderr.isTTY })
        : Logger.withConsoleError(Logger.formatJson)
    ]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, level)
  )
