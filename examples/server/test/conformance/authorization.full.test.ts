// The official suite's own user has a browser, and so has it here.
import { expect, test } from "vitest"
import { describeInChromium, newPerson } from "../browser/chromium.ts"
import { allow, serviceWithOwner } from "../browser/owner.ts"
import { freePort } from "../support/free-port.ts"
import { registerClient } from "../support/register-client.ts"
import { runAuthorizationSuite } from "./run-authorization-suite.ts"

describeInChromium("the official conformance suite", () => {
  test("finds what it requires of an authorization server", async () => {
    const base = await serviceWithOwner()
    const metadata = await fetch(`${base}/.well-known/oauth-protected-resource`)
    const { resource } = await metadata.json() as { readonly resource: string }
    const { page } = await newPerson()
    const port = await freePort()
    const clientId = await registerClient(base, `http://127.0.0.1:${port}/callback`, "Conformance")
    const args = ["--url", base, "--client-id", clientId, "--resource", resource, "--port", String(port)]
    const { checks, code, output } = await runAuthorizationSuite(args, (address) => allow(page, address, "Conformance"))
    console.info(/^Total: .*$/m.exec(output)?.[0])
    const found = Object.fromEntries(checks.map(({ id, status }) => [id, status]))
    expect({ code, found }, output).toEqual({
      code: 0,
      found: {
        "authorization-server-metadata": "SUCCESS",
        "authorization-code-grant": "SUCCESS",
        // Nothing that is required: a client whose id is an address would have the service fetch what anybody names.
        "authorization-server-metadata-cimd": "WARNING"
      }
    })
  })
})
