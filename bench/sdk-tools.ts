import { toolCatalog } from "@coppice/core"
import { z } from "zod"

const project = { id: "0198c5a0-0000-7000-8000-000000000001", name: "bench", repositoryPath: "/nowhere", baseBranch: "main", trusted: false }

const makeInputSchema = () =>
  z.object({
    id: z.string().min(1).optional().describe("Which one"),
    limit: z.number().int().min(1).max(100).optional().describe("How many at the most"),
    cursor: z.string().optional().describe("Where to go on")
  })

/** The documentation makes schemas with each server. Whoever profiles such a server makes them once. */
const kept: Record<string, z.ZodObject> = process.env["BENCH_KEEP_SCHEMAS"] === undefined
  ? {}
  : Object.fromEntries(toolCatalog.map(({ name }) => [name, makeInputSchema()]))

/**
 * As many tools as Coppice has, by their names and texts, but with a few fields each and nothing behind them. Each answers
 * at once, with as much as the one that is measured.
 */
export const addTools = (
  add: (
    name: string,
    config: { title: string; description: string; inputSchema: z.ZodObject },
    call: () => { content: Array<{ type: "text"; text: string }>; structuredContent: Record<string, unknown> }
  ) => void
): void => {
  for (const { description, name, title } of toolCatalog) {
    const inputSchema = kept[name] ?? makeInputSchema()
    add(name, { title, description, inputSchema }, () => {
      const structuredContent = { projects: [project] }
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent }
    })
  }
}
