// An agent that knows an address and nothing else, and does to the letter what it is told there.
import { verifies } from "@coppice/testkit/conformance"
import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { postMessage } from "../support/mcp-request.ts"
import { describeInChromium, newPerson } from "./chromium.ts"
import { otherSite } from "./other-site.ts"
import { allow, serviceWithProject } from "./owner.ts"

interface Metadata {
  readonly issuer: string
  readonly agent_auth: Readonly<Record<string, unknown>> & { readonly skill: string; readonly revocation_uri: string }
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

const read = async <A>(url: string | URL): Promise<A> => await (await fetch(url)).json() as A

/** From a refusal to what describes how to be let in. */
const discover = async (base: string): Promise<Metadata> => {
  const refused = await postMessage(`${base}/mcp`, "none", { method: "ping" })
  expect(refused.status).toBe(401)
  const described = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate")!)![1]!
  const { authorization_servers: [issuer] } = await read<{ readonly authorization_servers: [string] }>(described)
  return read<Metadata>(new URL("/.well-known/oauth-authorization-server", issuer))
}

/** Puts in what stands between angle brackets. */
const filled = (block: string, values: Readonly<Record<string, string>>): string =>
  block.replace(/<(\w+)>/g, (_, name: string) => values[name] ?? `there is no ${name}`)

/** Has a shell do what a block says. */
const run = <A>(block: string): A =>
  JSON.parse(execFileSync("sh", ["-c", block.replace(/^curl/, "curl --silent --show-error")], { encoding: "utf8" })) as A

describeInChromium("auth.md", () => {
  test(verifies("auth.discovery-chain") + "1.10: leads who follows it to the letter to a credential that works", async () => {
    const base = await serviceWithProject()
    const { agent_auth: { skill, revocation_uri: revocationUri } } = await discover(base)
    const text = await (await fetch(skill)).text()
    const [register, exchange, refresh] = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!)
    const claim = /```text\n(.*?)```/s.exec(text)![1]!.replace(/\s+/g, "")
    const { client_id } = run<{ readonly client_id: string }>(register!)

    // On loopback any port will do: the one of the example may be somebody else's.
    const site = await otherSite()
    const redirect_uri = `http://127.0.0.1:${site.port}/callback`
    const code_verifier = randomBytes(32).toString("base64url")
    const code_challenge = createHash("sha256").update(code_verifier).digest("base64url")
    const { page } = await newPerson()
    await allow(page, filled(claim, { client_id, redirect_uri, code_challenge, state: "s" }), "My agent")
    const answer = site.seen.find(({ pathname }) => pathname === "/callback")!.searchParams
    expect([answer.get("state"), answer.get("iss")]).toEqual(["s", base])

    const tokens = run<Tokens>(filled(exchange!, { client_id, code: answer.get("code")!, code_verifier, redirect_uri }))
    const projects = { method: "tools/call", params: { name: "projects_list", arguments: {} } }
    const called = await postMessage(`${base}/mcp`, tokens.access_token, projects)
    expect(await called.json()).toMatchObject({ result: { structuredContent: { projects: [{ name: "greeter" }] } } })
    const { access_token, refresh_token } = run<Tokens>(filled(refresh!, { client_id, refresh_token: tokens.refresh_token }))
    const status = async (token: string) => (await postMessage(`${base}/mcp`, token, { method: "ping" })).status
    expect(await status(access_token)).toBe(200)
    const revoked = await fetch(revocationUri, { method: "POST", body: new URLSearchParams({ token: refresh_token }) })
    expect([revoked.status, await status(access_token)]).toEqual([200, 401])
  })

  test("1.10: every address of agent_auth is the issuer's own, and something is there", async () => {
    const base = await serviceWithProject()
    const { agent_auth, issuer } = await discover(base)
    const addresses = Object.values(agent_auth).filter((value) => typeof value === "string")
    expect([issuer, addresses.length]).toEqual([base, 4])
    for (const address of addresses) {
      expect(new URL(address).origin).toBe(issuer)
      expect([address, (await fetch(address, { redirect: "manual" })).status]).not.toEqual([address, 404])
    }
  })
})
