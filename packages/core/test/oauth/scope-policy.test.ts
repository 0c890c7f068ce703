import { knownScope, knownScopes, narrowedScope, resourceFor, scopeFor } from "@coppice/core"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { assert, describe } from "vitest"

const both = { grantTypes: ["authorization_code", "refresh_token"] } as const
const codeOnly = { grantTypes: ["authorization_code"] } as const
const all = ["openid", "profile", "email", "offline_access"]

describe("what a client gets", () => {
  it("A11: is of what it asks for what there is", () => {
    assert.deepStrictEqual(scopeFor(both, "openid read write"), ["openid"])
    assert.deepStrictEqual(scopeFor(both, "email  openid openid"), ["openid", "email"])
    assert.deepStrictEqual(scopeFor(both, "OPENID"), all)
  })

  it("A12: is all that it may have where it asks for nothing that there is", () => {
    for (const nothing of [undefined, "", " ", "read write"]) {
      assert.deepStrictEqual(scopeFor(both, nothing), all)
      assert.deepStrictEqual(scopeFor(codeOnly, nothing), ["openid", "profile", "email"])
    }
  })

  it("F1: is offline_access only where it registered to refresh", () => {
    assert.deepStrictEqual(scopeFor(both, "openid offline_access"), ["openid", "offline_access"])
    assert.deepStrictEqual(scopeFor(both, "openid"), ["openid"])
    assert.deepStrictEqual(scopeFor(codeOnly, "openid offline_access"), ["openid"])
  })

  it("is no more than it registered for", () => {
    const some = { ...both, scope: ["openid", "offline_access"] }
    assert.deepStrictEqual(scopeFor(some, "openid profile email"), ["openid"])
    assert.deepStrictEqual(scopeFor(some, undefined), ["openid", "offline_access"])
  })

  it.prop("is always known, and never more than was asked for", [Schema.Array(Schema.Literals(["openid", "profile", "email", "offline_access", "x"]))], ([words]) => {
    const scope = scopeFor(both, words.join(" "))
    assert.deepStrictEqual(knownScope(scope.join(" ")), scope)
    if (words.some((word) => word !== "x")) assert.isTrue(scope.every((each) => words.includes(each as never)))
    assert.isTrue(scope.length <= knownScopes.length && scope.length > 0)
  })
})

describe("F9: a refresh", () => {
  it("keeps the scope, or narrows it", () => {
    assert.deepStrictEqual(narrowedScope(all, undefined), all)
    assert.deepStrictEqual(narrowedScope(all, "email openid"), ["openid", "email"])
  })

  it("never widens it", () => {
    for (const scope of ["openid profile", "admin", "openid admin"]) assert.isUndefined(narrowedScope(["openid", "email"], scope))
  })
})

describe("K3: a resource", () => {
  const base = "https://coppice.example"

  it("is the service, however it is called", () => {
    for (const requested of [[], [base], [`${base}/`], [`${base}/mcp`], [`${base}/api/v2/agent/mcp`], [base, `${base}/mcp`]]) {
      assert.strictEqual(resourceFor(requested, base), base)
    }
  })

  it("is nobody else's", () => {
    for (const foreign of [
      "https://evil.example", "https://coppice.example.evil.example", "http://coppice.example", `${base}:443`, `${base}/mcp/`, `${base}/other`,
      `${base}/mcp#f`, `${base}?x`, "/mcp", "javascript:alert(1)", "HTTPS://coppice.example", "coppice.example"
    ]) {
      assert.isUndefined(resourceFor([foreign], base), foreign)
      assert.isUndefined(resourceFor([base, foreign], base), foreign)
    }
  })
})
