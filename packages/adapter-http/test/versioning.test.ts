import { verifies } from "@coppice/testkit/conformance"
import { DateTime, Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type Endpoint, endpointCatalog, type Removal } from "../src/index.ts"
import { openapiDocument } from "../src/discovery/openapi.ts"
import { mountCatalog } from "../src/mount.ts"
import { deprecationHeaders } from "../src/pipeline/deprecation.ts"
import { noticeDays, versioningFaults } from "../src/pipeline/versioning-policy.ts"
import { empty } from "../src/reply.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const announcements = globSync(["packages/*/CHANGELOG.md", ".changeset/*.md"], { cwd: root })
  .map((path) => readFileSync(root + path, "utf8")).join("\n\n")
const catalog = endpointCatalog({ tools: [], resources: [], prompts: [], version: "1" } as never) as ReadonlyArray<Endpoint<unknown>>

const since = new Date("2026-11-20T00:00:00Z")
const after = (days: number) => DateTime.toDateUtc(DateTime.add(DateTime.makeUnsafe(since), { days }))

const serving: Endpoint = {
  id: "old",
  method: "GET",
  paths: ["/old"],
  security: "public",
  cors: "open",
  docs: { summary: "Old", responses: { 200: { description: "Old." } } },
  handle: () => Effect.succeed(empty(200))
}
const deprecated = (days: number, successor = "/mcp"): Endpoint => ({
  ...serving,
  deprecated: { since, sunset: after(days), successor }
})
const removed = (served: Removal["served"], replacement = "/mcp"): Endpoint => ({
  id: "gone",
  paths: ["/gone"],
  security: "public",
  docs: { summary: "Gone", responses: {} },
  removed: { replacement, served }
})
const faults = (endpoint: Endpoint, said: string) => versioningFaults([...catalog, endpoint as Endpoint<unknown>], announcements + said)

const saidOld = "\n\nDeprecated: `/old`, for `/mcp`."
const saidGone = "\n\n`/gone` is removed.\n\n"

describe("the promise on versions", () => {
  it(verifies("limit.deprecation-90-days") + "is kept by the catalogue: notice, successors that serve, and word in the changelog", () => {
    expect(noticeDays).toBe(90)
    expect(versioningFaults(catalog, announcements)).toEqual([])
  })

  it("is broken by less than 90 days between notice and end", () => {
    expect(faults(deprecated(90), saidOld)).toEqual([])
    expect(faults(deprecated(89), saidOld)).toEqual(["/old would go after 89 days of notice."])
    expect(faults(removed({ deprecated: since, removed: after(90) }), saidGone)).toEqual([])
    expect(faults(removed({ deprecated: since, removed: after(89) }), saidGone)).toEqual(["/gone would go after 89 days of notice."])
  })

  it("is broken by silence", () => {
    const silent = "\n\n`/gone` and `/old` are mentioned.\n\nAnother thing is removed, a third deprecated. /gone is removed."
    expect(faults(removed("never"), silent)).toEqual(["No changelog entry says what becomes of /gone."])
    expect(faults(deprecated(90), silent)).toEqual(["No changelog entry says what becomes of /old."])
    expect(versioningFaults(catalog, "")).toEqual(["No changelog entry says what becomes of /api/agent/mcp."])
  })

  it("is broken by a successor that is not served", () => {
    expect(faults(removed("never", "/api/agent/mcp"), saidGone)).toEqual(["/gone points to /api/agent/mcp, which is not served."])
    expect(faults(deprecated(90, "/new"), saidOld)).toEqual(["/old points to /new, which is not served."])
  })

  it("knows one surface that no release has served", () => {
    const never = catalog.filter((endpoint) => "removed" in endpoint && endpoint.removed.served === "never")
    expect(never.map(({ id }) => id)).toEqual(["mcp-v1"])
  })
})

describe("a deprecated surface", () => {
  it("is told by the fields of RFC 9745 and RFC 8594", () => {
    expect(deprecationHeaders({ since, sunset: new Date("2027-03-01T00:00:00Z"), successor: "/mcp" })).toEqual({
      deprecation: "@1795132800",
      sunset: "Mon, 01 Mar 2027 00:00:00 GMT",
      link: "</mcp>; rel=\"successor-version\""
    })
  })

  it(verifies("version.deprecation-header") + "serves, and says so in every answer and in the OpenAPI document", async () => {
    const endpoint = deprecated(120)
    const h3 = mountCatalog({
      catalog: [endpoint],
      baseUrl: undefined,
      trustedProxies: [],
      isOutage: () => false,
      run: (_, effect) => Effect.runPromise(effect as Effect.Effect<never>),
      challenge: () => Effect.succeed(empty(401))
    })
    const response = await h3.fetch(new Request("http://localhost/old"))
    expect(response.status).toBe(200)
    expect(response.headers.get("deprecation")).toBe("@1795132800")
    expect(response.headers.get("sunset")).toBe("Sat, 20 Mar 2027 00:00:00 GMT")
    expect(response.headers.get("link")).toBe("</mcp>; rel=\"successor-version\"")
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    const document = openapiDocument([endpoint], "http://localhost") as unknown as {
      readonly paths: Record<string, { readonly get: { readonly deprecated?: boolean; readonly responses: Record<string, { headers: object }> } }>
    }
    const { get } = document.paths["/old"]!
    expect(get.deprecated).toBe(true)
    expect(Object.keys(get.responses["200"]!.headers)).toEqual(["Deprecation", "Sunset", "Link"])
  })
})
