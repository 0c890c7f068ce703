// The interface document as data, and the way for a test to say what it proves.
export * from "./citations.ts"
export type { Requirement } from "./requirement.ts"
export * from "./requirements.ts"
export * from "./verifies.ts"
