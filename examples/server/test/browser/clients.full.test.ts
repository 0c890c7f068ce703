// The clients that people use, as they are published: a person lets them in, in a real browser.
import { toolCatalog } from "@coppice/core"
import * as v2 from "@modelcontextprotocol/client"
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { execFile } from "node:child_process"
import { expect, onTestFinished, test } from "vitest"
import { inspectorProgram, mcpRemoteProgram } from "../support/client-program.ts"
import { freePort } from "../support/free-port.ts"
import { postMessage } from "../support/mcp-request.ts"
import { describeInChromium, newPerson } from "./chromium.ts"
import { environmentWithBrowser } from "./opened-address.ts"
import { otherSite } from "./other-site.ts"
import { allow, revoke, serviceWithProject } from "./owner.ts"

const toolNames = toolCatalog.map(({ name }) => name)
const info = { name: "test", version: "1" }

const expectService = async (client: Client) => {
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(toolNames)
  const listed = await client.callTool({ name: "projects_list" })
  expect(listed.structuredContent).toMatchObject({ projects: [{ name: "greeter" }] })
}

/** What a program with an SDK keeps for itself, and where it wants to send its user. */
const makeProvider = (redirectUrl: string, name: string) => {
  const kept: {
    client?: OAuthClientInformationMixed
    discovery?: OAuthDiscoveryState
    tokens?: OAuthTokens | undefined
    verifier?: string
    address?: string
  } = {}
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl], client_name: name, token_endpoint_auth_method: "none" },
    state: () => "st&te",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.address = url.href),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state) => void (kept.discovery = state),
    invalidateCredentials: (scope) => {
      if (scope === "all" || scope === "tokens") kept.tokens = undefined
    }
  }
  return { kept, provider }
}

type Begin = (url: URL, provider: OAuthClientProvider) => {
  readonly client: Client
  readonly connect: () => Promise<void>
  readonly finish: (answer: URLSearchParams) => Promise<void>
}

const beginOld: Begin = (url, authProvider) => {
  const client = new Client(info)
  const transport = new StreamableHTTPClientTransport(url, { authProvider })
  return { client, connect: () => client.connect(transport as Transport), finish: (answer) => transport.finishAuth(answer.get("code")!) }
}

const beginNew = (mode: "legacy" | "auto", era: "legacy" | "modern"): Begin => (url, authProvider) => {
  const client = new v2.Client(info, { versionNegotiation: { mode } })
  const transport = new v2.StreamableHTTPClientTransport(url, { authProvider: authProvider as v2.OAuthClientProvider })
  const connect = async () => {
    await client.connect(transport)
    expect(client.getProtocolEra()).toBe(era)
  }
  // It holds the issuer that the answer names against the one it asked (RFC 9207).
  return { client: client as unknown as Client, connect, finish: (answer) => transport.finishAuth(answer) }
}

describeInChromium("clients that a person lets in", () => {
  test.each([
    ["SDK 1", beginOld],
    ["SDK 2 with sessions", beginNew("legacy", "legacy")],
    ["SDK 2 as it finds the service", beginNew("auto", "modern")]
  ])("V7: the client of %s connects, renews its token, and is refused once that is revoked", async (name, begin) => {
    const base = await serviceWithProject()
    const { complaints, page } = await newPerson()
    const site = await otherSite()
    const { kept, provider } = makeProvider(`http://127.0.0.1:${site.port}/callback`, name)
    const url = new URL("/mcp", base)
    const first = begin(url, provider)
    await expect(first.connect()).rejects.toThrow(/unauthorized/i)
    await allow(page, kept.address!, name)
    const answer = site.seen.find(({ pathname }) => pathname === "/callback")!.searchParams
    expect([answer.get("state"), answer.get("iss")]).toEqual(["st&te", base])
    await first.finish(answer)
    const { client, connect } = begin(url, provider)
    await connect()
    await expectService(client)
    // A token that serves no more has the client ask for another, without its user.
    const { refresh_token } = kept.tokens!
    kept.tokens = { ...kept.tokens!, access_token: "over" }
    delete kept.address
    await expectService(client)
    expect(kept.tokens.refresh_token).not.toBe(refresh_token)
    expect(kept.address).toBeUndefined()
    const token = kept.tokens.access_token
    await revoke(page, base, name)
    expect((await postMessage(url.href, token, { method: "ping" })).status).toBe(401)
    // Not a list of the tools, which it may keep for as long as it was told.
    await expect(client.callTool({ name: "projects_list" })).rejects.toThrow(/unauthorized/i)
    // There is nothing left to renew it with: its user would have to allow it anew.
    expect([kept.tokens, new URL(kept.address!).pathname]).toEqual([undefined, "/api/auth/oauth2/authorize"])
    await client.close()
    expect(complaints).toEqual([])
  })

  test("mcp-remote connects for a client that speaks stdio alone", async () => {
    const base = await serviceWithProject()
    const { complaints, page } = await newPerson()
    const { env, hasOpened, opened } = environmentWithBrowser()
    const bridged = () => {
      const client = new Client(info)
      onTestFinished(() => client.close())
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [mcpRemoteProgram, `${base}/mcp`],
        env,
        stderr: "ignore"
      })
      return { client, connected: client.connect(transport, { timeout: 100_000 }) }
    }
    const first = bridged()
    await Promise.all([first.connected, opened().then((address) => allow(page, address, "MCP CLI Proxy"))])
    await expectService(first.client)
    await first.client.close()
    // It keeps what it was given.
    const second = bridged()
    await second.connected
    await expectService(second.client)
    expect(hasOpened()).toBe(false)
    await second.client.close()
    expect(complaints).toEqual([])
  })

  test("the inspector's command line connects, and keeps what it was given", async () => {
    const base = await serviceWithProject()
    const { complaints, page } = await newPerson()
    const { env, hasOpened, opened } = environmentWithBrowser()
    const settings = {
      ...env,
      // Nobody sits at its terminal: it has to be told that it may open a browser all the same.
      MCP_AUTO_OPEN_ENABLED: "true",
      MCP_OAUTH_CALLBACK_URL: `http://127.0.0.1:${await freePort()}/oauth/callback`,
      MCP_INSPECTOR_SECRET_STORE: "file"
    }
    const inspect = (...args: ReadonlyArray<string>) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const all = [inspectorProgram, "--cli", `${base}/mcp`, "--transport", "http", ...args]
        execFile(process.execPath, all, { env: settings, timeout: 100_000 }, (error, stdout, stderr) => {
          if (error === null) resolve(JSON.parse(stdout))
          else reject(new Error(`The inspector said:\n${stdout}\n${stderr}`, { cause: error }))
        })
      })
    const [listed] = await Promise.all([
      inspect("--method", "tools/list", "--strict"),
      opened().then((address) => allow(page, address, "MCP Inspector"))
    ])
    expect((listed["tools"] as ReadonlyArray<{ name: string }>).map(({ name }) => name)).toEqual(toolNames)
    for (const era of ["legacy", "modern"]) {
      const called = await inspect("--protocol-era", era, "--method", "tools/call", "--tool-name", "projects_list", "--tool-arg", "limit=1")
      expect(called).toMatchObject({ structuredContent: { projects: [{ name: "greeter" }] } })
    }
    expect(hasOpened()).toBe(false)
    expect(complaints).toEqual([])
  })
})
