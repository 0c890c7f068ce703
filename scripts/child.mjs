// Runs one program for the scripts in this folder, with everything that it prints going to standard error: standard
// output belongs to the command that comes after. Nothing newer than Node 18 is used.
import { spawn } from "node:child_process"

let current

/** Ends the program that is running, if one is. */
export const endChild = (signal) => current?.kill(signal)

/** Resolves to the exit code, or to 127 if the program could not be started. */
export const run = (command, args, options = {}) =>
  new Promise((resolve) => {
    current = spawn(command, args, { stdio: ["ignore", 2, 2], ...options })
    current.once("error", () => resolve(127))
    current.once("exit", (code, signal) => resolve(signal === null ? code : 128))
  })
