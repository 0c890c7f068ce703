// The import rules of ARCHITECTURE.md as one table. oxlint lets a later override replace the options of
// `no-restricted-imports` instead of adding to them, so the overrides are computed from a tree of zones: each carries what
// every zone around it forbids. scripts/test/lint.test.ts proves that each row bites.
import { defineConfig, type OxlintOverride } from "oxlint"

/** A noun may import what stands to its left. */
export const nounsInLine = [
  "organization",
  "host",
  "project",
  "credential",
  "task",
  "workspace",
  "terminal",
  "agent-session",
  "automation",
  "run"
]

/** Folders of core that every noun may use. */
export const groundFolders = ["tool", "resource", "prompt", "rate-limit", "audit"]

/** Folders of core that use nouns and that no noun uses. */
export const upperFolders = ["oauth", "mcp-session", "sign-in", "access"]

/** The technology that each package is there to know about. */
const technologies: Record<string, Array<string>> = {
  "adapter-git": ["simple-git"],
  "adapter-http": ["@modelcontextprotocol/**", "h3", "jose", "openid-client", "oslo/**", "@oslojs/**", "preact", "preact/**", "preact-render-to-string", "zod"],
  "adapter-store": ["@effect/sql-pg", "@effect/sql-pg/**", "@electric-sql/pglite", "@electric-sql/pglite/**"]
}

interface Forbidden {
  readonly message: string
  readonly regex?: string
  readonly group?: Array<string>
}

interface Zone {
  readonly files: Array<string>
  readonly forbid?: Array<Forbidden>
  /** Forbidden around here, but not here. */
  readonly allow?: Array<Forbidden>
  readonly allowNode?: true
  readonly inside?: Array<Zone>
}

const effect = ["effect", "effect/**"]
const core = ["@coppice/core", "@coppice/core/**"]

const onlyFrom = (...names: Array<string>): Forbidden => ({
  group: ["*", "!./**", "!../**", ...names.map((name) => `!${name}`)],
  message: `Only ${names.join(", ")} and files of this package may be imported here.`
})

const folders = (names: Array<string>): string => `(^|/)\\.\\./(${names.join("|")})/`

const othersSources: Forbidden = { regex: "/src/", message: "A package's sources are its own: import through its exports." }

const tools: Forbidden = { regex: "-tools(\\.ts)?$", message: "Only tool-catalog.ts imports *-tools." }

const resources: Forbidden = {
  regex: "-resources(\\.ts)?$",
  message: "Only resource-catalog.ts imports *-resources."
}

const notAModel: Forbidden = {
  regex: "(-(store|usecases|tools|worker|catalog)|/(worktrees|terminals|agent-launcher|host-gateway))\\.ts$",
  message: "A policy imports models only."
}

const policies = (folder: string): Zone => ({ files: [`${folder}/*-policy.ts`], forbid: [notAModel] })

const noun = (name: string, position: number): Zone => {
  const folder = `packages/core/src/${name}`
  const later = [...nounsInLine.slice(position + 1), ...upperFolders]
  const message = `${name} may import only the nouns to its left: ${nounsInLine.slice(0, position).join(", ") || "none"}.`
  return { files: [`${folder}/**`], forbid: [{ regex: folders(later), message }], inside: [policies(folder)] }
}

const adapters = Object.entries(technologies).map(
  ([name, own]): Zone => ({
    files: [`packages/${name}/src/**`],
    forbid: [onlyFrom(...effect, ...core, ...own, "node:*", "node:*/**")],
    allowNode: true
  })
)

const coreExternals = onlyFrom(...effect, "@oslojs/**")
const testkitExternals = onlyFrom(...effect, ...core, "vitest", "@effect/vitest")
const postgresExternals = onlyFrom(...effect, ...core, "vitest", "vitest/*", "@effect/sql-pg", "@effect/sql-pg/**", "node:*", "node:*/**")

const sources: Zone = {
  files: ["packages/*/src/**"],
  forbid: [othersSources, tools, resources],
  inside: [
    {
      files: ["packages/core/src/**"],
      forbid: [coreExternals],
      inside: [
        ...[...groundFolders, ...upperFolders].map((name) => policies(`packages/core/src/${name}`)),
        ...nounsInLine.map(noun),
        { files: ["packages/core/src/tool-catalog.ts"], allow: [tools] },
        { files: ["packages/core/src/resource-catalog.ts"], allow: [resources] }
      ]
    },
    ...adapters,
    {
      files: ["packages/testkit/src/**"],
      forbid: [testkitExternals],
      inside: [
        {
          files: ["packages/testkit/src/postgres/**"],
          allow: [testkitExternals],
          forbid: [postgresExternals],
          allowNode: true
        }
      ]
    }
  ]
}

/** Examples show what anybody can do: they reach packages through their exports, and the adapter has core alone. */
const examples: Zone = {
  files: ["examples/*/src/**"],
  forbid: [othersSources],
  inside: [{ files: ["examples/custom-adapter/src/**"], forbid: [onlyFrom(...effect, ...core, "node:*", "node:*/**")] }]
}

// oxlint stops at the first pattern that lets an import through, so those that do ("!./**") come last.
const lenientLast = (a: Forbidden, b: Forbidden): number => Number(a.group !== undefined) - Number(b.group !== undefined)

/** A zone before the zones inside it: the most special override is the last one, and the last one counts. */
const overridesOf = (zone: Zone, around: Array<Forbidden> = []): Array<OxlintOverride> => {
  const patterns = [...around.filter((forbidden) => !zone.allow?.includes(forbidden)), ...(zone.forbid ?? [])]
  return [
    {
      files: zone.files,
      rules: {
        "no-restricted-imports": ["error", { patterns: patterns.toSorted(lenientLast) }],
        ...(zone.allowNode && { "import/no-nodejs-modules": "off" })
      }
    },
    ...(zone.inside ?? []).flatMap((inner) => overridesOf(inner, patterns))
  ]
}

export default defineConfig({
  ignorePatterns: ["**/node_modules/**", "**/dist/**"],
  plugins: ["typescript", "import", "unicorn", "oxc"],
  categories: { correctness: "error" },
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "max-lines": ["warn", { max: 250 }],
    "typescript/no-explicit-any": "error",
    // What refuses control characters has to name them.
    "no-control-regex": "off",
    // An Effect generator that only throws or returns is still an Effect generator.
    "require-yield": "off"
  },
  overrides: [
    { files: ["packages/*/src/**"], rules: { "import/no-nodejs-modules": "error", "no-console": "error" } },
    ...overridesOf(sources),
    ...overridesOf(examples)
  ]
})
