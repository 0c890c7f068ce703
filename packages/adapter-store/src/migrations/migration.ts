/** One step of the schema. Once released it never changes: a database that has it would never learn of the change. */
export interface Migration {
  readonly id: number
  readonly name: string
  /** Run in order, in one transaction with everything else that is missing. */
  readonly statements: ReadonlyArray<string>
}
