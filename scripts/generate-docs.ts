// Writes what is computed from the two catalogues that MCP clients see: docs/tools.md. A test fails when it is out of date.
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type JsonObject, resourceCatalog, toolCatalog } from "../packages/core/src/index.ts"

interface Property {
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly allOf?: ReadonlyArray<Property>
  readonly anyOf?: ReadonlyArray<Property>
}

const typeOf = ({ allOf, anyOf, enum: values, type }: Property): string =>
  values !== undefined
    ? values.map((value) => `\`${value}\``).join(", ")
    : anyOf !== undefined
    ? anyOf.map(typeOf).join(" or ")
    : type ?? (allOf === undefined ? "any" : allOf.map(typeOf)[0]!)

const descriptionOf = ({ allOf, description }: Property): string =>
  description ?? allOf?.map(descriptionOf).find((text) => text !== "") ?? ""

const argumentRows = (schema: JsonObject): ReadonlyArray<string> => {
  const required = new Set((schema.required ?? []) as ReadonlyArray<string>)
  return Object.entries((schema.properties ?? {}) as Record<string, Property>).map(([name, property]) =>
    `| \`${name}\`${required.has(name) ? "" : "?"} | ${typeOf(property)} | ${descriptionOf(property).replaceAll("|", "\\|")} |`
  )
}

/** docs/tools.md, as the catalogue says it. */
export const toolsDocument = (): string => {
  const sections = toolCatalog.map(({ annotations, description, inputSchema, name, outputSchema }) => {
    const rows = argumentRows(inputSchema)
    const results = Object.keys((outputSchema.properties ?? {}) as JsonObject).map((name) => `\`${name}\``).join(", ")
    const nature = annotations.readOnlyHint ? "reads" : annotations.destructiveHint ? "may take something away" : "changes"
    return [
      `## ${name}`,
      "",
      `${description} (${nature})`,
      "",
      ...(rows.length === 0 ? [] : ["| argument | type | |", "|---|---|---|", ...rows, ""]),
      `Result: ${results}`,
      ""
    ].join("\n")
  })
  return [
    "# Tools",
    "",
    "What an MCP client can call, computed from the tool catalogue by `npm run docs`. A `?` marks what may be left out.",
    "",
    ...sections,
    "# Resources",
    "",
    "What an MCP client can read by its address, computed from the resource catalogue.",
    "",
    "| address | media type | |",
    "|---|---|---|",
    ...resourceCatalog.map(({ description, mimeType, uri }) => `| \`${uri}\` | ${mimeType} | ${description} |`),
    ""
  ].join("\n")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL("../docs/tools.md", import.meta.url), toolsDocument())
}
