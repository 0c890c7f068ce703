import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Endpoint } from "../endpoint.ts"
import type { Call } from "../pipeline/call.ts"
import type { Reply } from "../reply.ts"

const types = {
  "app.css": "text/css; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml"
} as const
type AssetName = keyof typeof types

interface Asset {
  readonly body: string
  readonly hash: string
}

const read = new Map<AssetName, Asset>()

/** Each file is read once, when it is first asked for. */
const assetOf = (name: AssetName): Asset => {
  const known = read.get(name)
  if (known !== undefined) return known
  const body = readFileSync(new URL(`../../assets/${name}`, import.meta.url), "utf8")
  const asset = { body, hash: createHash("sha256").update(body).digest("base64url").slice(0, 16) }
  read.set(name, asset)
  return asset
}

/** Where pages find a file. The address changes with what is in it, so that browsers may keep it for good. */
export const assetPath = (name: AssetName): string => `/assets/${name}?v=${assetOf(name).hash}`

const handle = (name: AssetName) => ({ request }: Call) =>
  Effect.sync((): Reply => {
    const { body, hash } = assetOf(name)
    const etag = `"${hash}"`
    const isCurrent = new URL(request.url).searchParams.get("v") === hash
    const headers = {
      etag,
      "cache-control": isCurrent ? "public, max-age=31536000, immutable" : "no-cache",
      "x-content-type-options": "nosniff"
    }
    return request.headers.get("if-none-match") === etag
      ? { status: 304, body: null, headers }
      : { status: 200, body, headers: { ...headers, "content-type": types[name] } }
  })

/** The files that pages are made of besides themselves. */
export const assets: ReadonlyArray<Endpoint<never>> = (Object.keys(types) as ReadonlyArray<AssetName>).map((name) => ({
  id: `asset-${name}`,
  method: "GET",
  paths: [`/assets/${name}`],
  security: "public",
  handle: handle(name)
}))
