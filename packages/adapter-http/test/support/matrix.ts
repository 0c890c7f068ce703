import { afterAll, beforeAll, describe } from "vitest"
import { type HttpAppOptions, type HttpServer, serveHttp } from "../../src/index.ts"
import { makeService, type Service } from "./service.ts"

export interface MatrixContext extends Service {
  readonly fetch: (path: string, init?: RequestInit & { readonly duplex?: "half" }) => Promise<Response>
  readonly base: string
}

/** A request as it would arrive: fetch says how long a body is, where that is known. */
const withLength = (url: string, init: RequestInit = {}): Request => {
  const request = new Request(url, init)
  const { body } = init
  if (typeof body === "string" || body instanceof Uint8Array) {
    request.headers.set("content-length", String(Buffer.from(body as string).length))
  }
  return request
}

type Way = "in process" | "over a socket"

const describeWay = (
  way: Way,
  title: string,
  tests: (context: () => MatrixContext) => void,
  options: Partial<HttpAppOptions<never>>
): void => {
  describe(`${title}, ${way}`, () => {
    let context: MatrixContext
    let server: HttpServer | undefined
    beforeAll(async () => {
      const service = await makeService(options)
      server = way === "over a socket" ? await serveHttp(service.app, { host: "127.0.0.1", port: 0 }) : undefined
      const base = server?.url ?? "http://127.0.0.1:4280"
      const fetch: MatrixContext["fetch"] = (path, init) =>
        server === undefined ? service.app.fetch(withLength(base + path, init)) : globalThis.fetch(base + path, init)
      context = { ...service, base, fetch }
    })
    afterAll(async () => {
      await server?.close({ graceMillis: 100 })
      await context.runtime.dispose()
    })
    tests(() => context)
  })
}

/** Runs every test over a socket, as programs of others need it. */
export const describeOverSocket = (
  title: string,
  tests: (context: () => MatrixContext) => void,
  options: Partial<HttpAppOptions<never>> = {}
): void => describeWay("over a socket", title, tests, options)

/** Runs every test twice, after h3's own: in this process, and over a socket. Each has a service of its own. */
export const describeMatrix = (
  title: string,
  tests: (context: () => MatrixContext) => void,
  options: Partial<HttpAppOptions<never>> = {}
): void => {
  describeWay("in process", title, tests, options)
  describeWay("over a socket", title, tests, options)
}

export const errorOf = async (response: Response): Promise<{ code: string; message: string; hint?: string }> =>
  ((await response.json()) as { error: { code: string; message: string; hint?: string } }).error
