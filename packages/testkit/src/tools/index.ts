export * from "./tool-examples.ts"
