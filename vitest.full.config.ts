export { full as default } from "./vitest.config.ts"
