export { jsonLinesIdempotencyStore } from "./idempotency-store.ts"
