// A host in memory, with the repositories, worktrees and agents that a test scripts: real implementations that record.
export * from "./agent-script.ts"
export type { CallName, FakeCall, Trouble } from "./calls.ts"
export type { Changes, FakeRepository, Files } from "./git.ts"
export type { FakeProcess } from "./agent-launcher.ts"
export type { FakeWorktree } from "./machine.ts"
export { FakeHost, fakeHostLayer, type FakeHostOptions } from "./fake-host.ts"
export { fakePrograms, type SetupResult, type SetupScript } from "./setup-command.ts"
