import * as v2 from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { expect, it } from "vitest"
import { describeOverSocket } from "./support/matrix.ts"
import { makeOAuth, manyRegistrations, type Tokens } from "./support/oauth.ts"

const info = { name: "test", version: "1" }

/** What a client keeps for itself, and where it wanted to send the person. */
const makeProvider = () => {
  const kept: { client?: never; tokens?: Tokens; verifier?: string; url?: URL; discovery?: never } = {}
  const provider = {
    redirectUrl: "http://127.0.0.1:3334/oauth/callback",
    clientMetadata: { redirect_uris: ["http://127.0.0.1:3334/oauth/callback"], client_name: "An MCP client", token_endpoint_auth_method: "none" },
    clientInformation: () => kept.client,
    saveClientInformation: (client: never) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens: Tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url: URL) => void (kept.url = url),
    saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state: never) => void (kept.discovery = state)
  }
  return { kept, provider: provider as never }
}

describeOverSocket("official MCP clients", (context) => {
  const eras = {
    "SDK 1": (url: URL, authProvider: never) => {
      const transport = new StreamableHTTPClientTransport(url, { authProvider })
      const client = new Client(info)
      const finish = (back: URL) => transport.finishAuth(back.searchParams.get("code")!)
      return { finish, connect: () => client.connect(transport as never), ping: (): Promise<unknown> => client.ping(), close: () => client.close() }
    },
    "SDK 2": (url: URL, authProvider: never) => {
      const transport = new v2.StreamableHTTPClientTransport(url, { authProvider })
      const client = new v2.Client(info)
      // It checks the issuer of the answer (RFC 9207), too.
      const finish = (back: URL) => transport.finishAuth(back.searchParams)
      return { finish, connect: () => client.connect(transport), ping: (): Promise<unknown> => client.listTools(), close: () => client.close() }
    }
  }

  it.each([
    ["SDK 1", "/mcp"], ["SDK 1", "/api/v2/agent/mcp"], ["SDK 2", "/mcp"], ["SDK 2", "/api/v2/agent/mcp"]
  ] as const)("%s finds its way to %s, and renews what it was given", async (era, path) => {
    const { kept, provider } = makeProvider()
    const begun = eras[era](new URL(context().base + path), provider)
    await expect(begun.connect()).rejects.toThrow()
    const { client_id, ...fields } = Object.fromEntries(kept.url!.searchParams)
    const { code, newPerson } = makeOAuth(context())
    const approved = await code(client_id!, fields, await newPerson())
    expect(approved.url.origin + approved.url.pathname).toBe("http://127.0.0.1:3334/oauth/callback")
    await begun.finish(approved.url)
    const first = kept.tokens!
    expect(first.scope).toContain("offline_access")
    const { close, connect, ping } = eras[era](new URL(context().base + path), provider)
    await connect()
    await ping()
    context().ahead.millis += 3600_000
    await ping()
    expect(kept.tokens!.access_token).not.toBe(first.access_token)
    expect(kept.tokens!.refresh_token).not.toBe(first.refresh_token)
    await close()
  })
}, manyRegistrations)
