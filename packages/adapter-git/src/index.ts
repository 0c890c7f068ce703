export type { AgentConfig } from "./agent/agent-config.ts"
export type { LocalHostOptions } from "./local-host-options.ts"
export { localHostLayer, makeLocalHost } from "./local-host.ts"
export { cleanPath } from "./process/environment.ts"
