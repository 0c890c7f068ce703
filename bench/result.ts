/** What a benchmark found, and how. */
export interface Result {
  readonly name: string
  readonly value: number
  readonly reach: string
  readonly met: boolean
  readonly details: Readonly<Record<string, number | string>>
  readonly how: string
}
