import {
  isLoopbackRedirect,
  matchesRedirectUri,
  maxRedirectUriLength,
  redirectHost,
  redirectSource,
  redirectUriFault,
  withParameters
} from "@coppice/core"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { assert, describe } from "vitest"

const accepts = (uri: string) => assert.strictEqual(redirectUriFault(uri), undefined, uri)
const refuses = (uri: string) => assert.isString(redirectUriFault(uri), JSON.stringify(uri))

describe("a redirect URI to register", () => {
  it("R5: runs, shows and opens nothing by itself, however it is written", () => {
    for (const scheme of ["javascript", "data", "vbscript", "file", "blob", "about"]) {
      for (const spelling of [scheme, scheme.toUpperCase(), scheme[0]!.toUpperCase() + scheme.slice(1)]) {
        for (const rest of [":alert(1)", "://app.example/cb", ":text/html,x"]) refuses(spelling + rest)
      }
    }
    for (const uri of [
      "", " ", "cb", "/cb", "//app.example/cb", "?x", "https", "https:", " https://app.example/", "https://app.example/ ",
      "\thttps://app.example/", "https://app.example/\u0000", "https://app.example/\tcb", "java\nscript:alert(1)", "\u0001javascript:x",
      "https://app.example/%zz", "https://app.example/%2", "https://äpp.example/", "https://app.example\\@evil.example/", "https://app.example/<x>"
    ]) refuses(uri)
  })

  it("R7: is https anywhere, http on loopback, or of an app's own scheme", () => {
    for (const uri of [
      "https://app.example/cb", "https://app.example", "https://app.example:8443/cb?a=b", "https://[2001:db8::1]/cb", "https://10.0.0.1/cb",
      "http://127.0.0.1/cb", "http://127.0.0.1:3334/cb", "http://[::1]:1/", "http://localhost:65535/oauth/callback",
      "com.example.app:/cb", "cursor://anysphere.cursor-mcp/oauth/callback", "vscode://x/y?z=1", "claude-app:cb"
    ]) accepts(uri)
    for (const uri of [
      "http://app.example/cb", "http://127.0.0.2/cb", "http://foo.localhost/cb", "http://localhost.evil.example/", "http://127.0.0.1.evil.example/",
      "http://127.000.000.001/cb", "http://2130706433/cb", "http://0.0.0.0/cb", "http://[::]/cb", "http://localhost@evil.example/",
      "https://user@app.example/cb", "https://user:pw@app.example/", "https://app.example/cb#fragment", "https:///cb", "https:app.example",
      "https://app.example:99999/", "https://app.example:/", "HTTPS://app.example/cb", "Http://localhost/", "ftp://app.example/", "ws://localhost/"
    ]) refuses(uri)
  })

  it("D10: is at most 2 KiB long", () => {
    const of = (length: number) => `https://app.example/${"x".repeat(length - 20)}`
    accepts(of(maxRedirectUriLength))
    refuses(of(maxRedirectUriLength + 1))
    refuses(`https://${"a".repeat(100_000)}`)
  })
})

describe("the redirect URI of a request", () => {
  it("R1, R2: is the registered one, character by character", () => {
    const registered = "https://app.example/cb?x=1"
    assert.isTrue(matchesRedirectUri(registered, registered))
    for (const near of [
      "https://app.example/cb", "https://app.example/cb?x=1&y=2", "https://app.example/cb/?x=1", "https://app.example/cb?x=2",
      "https://app.example/CB?x=1", "https://APP.example/cb?x=1", "HTTPS://app.example/cb?x=1", "https://app.example:443/cb?x=1",
      "https://app.example:8443/cb?x=1", "http://app.example/cb?x=1", "https://app.example/./cb?x=1", "https://app.example/a/../cb?x=1",
      "https://app.example/%63b?x=1", "https://app.example/%2E%2E/cb?x=1", "https://app.example/%252E/cb?x=1", "https://user@app.example/cb?x=1",
      "https://app.example.evil.example/cb?x=1", "https://evil.example/cb?x=1", "https://app.example/cb?x=1#f", " https://app.example/cb?x=1", ""
    ]) assert.isFalse(matchesRedirectUri(registered, near), near)
  })

  it("R3: may have any port on loopback, and nothing else that differs", () => {
    for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
      const registered = `http://${host}:3334/oauth/callback?a=1`
      for (const port of ["", ":1", ":80", ":65535"]) {
        assert.isTrue(matchesRedirectUri(registered, `http://${host}${port}/oauth/callback?a=1`))
        assert.isTrue(matchesRedirectUri(`http://${host}/oauth/callback?a=1`, `http://${host}${port}/oauth/callback?a=1`))
      }
      for (const other of ["127.0.0.1", "[::1]", "localhost", "127.0.0.2", "foo.localhost", "127.000.000.001", "LOCALHOST", "app.example"]) {
        if (other !== host) assert.isFalse(matchesRedirectUri(registered, `http://${other}:3334/oauth/callback?a=1`), `${host} ${other}`)
      }
      for (const near of [
        `https://${host}:1/oauth/callback?a=1`, `HTTP://${host}:1/oauth/callback?a=1`, `http://${host}:1/oauth/callback`,
        `http://${host}:1/oauth/callback/?a=1`, `http://${host}:1/other?a=1`, `http://${host}:1/oauth/callback?a=1&b=2`,
        `http://${host}:99999/oauth/callback?a=1`, `http://x@${host}:1/oauth/callback?a=1`, `http://${host}:1@evil.example/oauth/callback?a=1`,
        `http://${host}:1/oauth/callback?a=1#f`, `http://${host}:/oauth/callback?a=1`
      ]) assert.isFalse(matchesRedirectUri(registered, near), near)
    }
    assert.isFalse(matchesRedirectUri("https://localhost:1/cb", "https://localhost:2/cb"))
  })

  it.prop("R1: is never taken for another one", [Schema.String, Schema.String], ([left, right]) => {
    const [a, b] = [`https://app.example/${left}`, `https://app.example/${right}`]
    assert.strictEqual(matchesRedirectUri(a, b), a === b)
  })
})

it("C9: says where it leads to", () => {
  for (const [uri, host, source, loopback] of [
    ["https://app.example/cb", "app.example", "https://app.example", false],
    ["https://app.example:8443/cb", "app.example:8443", "https://app.example:8443", false],
    ["http://127.0.0.1:3334/cb", "127.0.0.1:3334", "http://127.0.0.1:3334", true],
    ["http://[::1]:5/", "[::1]:5", "http:", true],
    ["https://localhost/", "localhost", "https://localhost", false],
    ["cursor://anysphere/cb", "cursor:", "cursor:", false]
  ] as const) {
    assert.deepStrictEqual([redirectHost(uri), redirectSource(uri), isLoopbackRedirect(uri)], [host, source, loopback])
  }
})

describe("R10: parameters", () => {
  it("are appended to those that are there", () => {
    const added = { code: "a b", state: "&=#%ü", gone: undefined }
    const query = "code=a%20b&state=%26%3D%23%25%C3%BC"
    assert.strictEqual(withParameters("https://a.example/cb", added), `https://a.example/cb?${query}`)
    assert.strictEqual(withParameters("https://a.example/cb?a=b", added), `https://a.example/cb?a=b&${query}`)
    assert.strictEqual(withParameters("https://a.example/cb?", added), `https://a.example/cb?${query}`)
    assert.strictEqual(withParameters("https://a.example/cb?a=b&", added), `https://a.example/cb?a=b&${query}`)
    assert.strictEqual(withParameters("app:cb", { error: "x" }), "app:cb?error=x")
  })

  it.prop("A7: come back as they were", [Schema.String.check(Schema.isPattern(/^\P{Surrogate}*$/u))], ([state]) => {
    const url = new URL(withParameters("https://a.example/cb?a=b", { state }))
    assert.deepStrictEqual([url.searchParams.get("state"), url.searchParams.get("a")], [state, "b"])
  })
})
