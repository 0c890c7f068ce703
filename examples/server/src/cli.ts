#!/usr/bin/env node
import { runCommand } from "./cli/run-command.ts"

// `coppice runs list | head` closes the pipe early, which is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

process.exitCode = await runCommand(process.argv.slice(2))
