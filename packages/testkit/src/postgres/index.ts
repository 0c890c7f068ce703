// A real PostgreSQL server for tests and benchmarks, from npm alone.
export { startPostgres } from "./start-postgres.ts"
export type { PostgresOptions, PostgresServer } from "./start-postgres.ts"
export { PostgresUnavailable } from "./unavailable.ts"
