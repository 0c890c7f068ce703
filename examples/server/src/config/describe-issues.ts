import { type Schema, SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const plain: Readonly<Record<string, string>> = {
  "Missing key": "is missing",
  "Expected no excess property": "is no field that is known here"
}

/** `agents[0].prompt`, as people write it. */
const pathOf = (segments: ReadonlyArray<unknown>): string =>
  segments.reduce<string>(
    (path, segment) =>
      typeof segment === "number" ? `${path}[${segment}]` : path === "" ? String(segment) : `${path}.${String(segment)}`,
    ""
  )

const keyOf = (segment: unknown): unknown =>
  typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment

/** What is wrong with some input, one line for each field: its path, and what was expected. Values are not repeated. */
export const describeIssues = (error: Schema.SchemaError): ReadonlyArray<string> =>
  format(error.issue).issues.map(({ message, path = [] }) => {
    const field = pathOf(path.map(keyOf))
    const problem = plain[message] ?? `${message.charAt(0).toLowerCase()}${message.slice(1)}`
    return field === "" ? problem : `${field}${plain[message] === undefined ? ":" : ""} ${problem}`
  })
