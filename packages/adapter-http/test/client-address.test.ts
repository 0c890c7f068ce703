import { expect, it } from "vitest"
import { clientAddress, proxyList } from "../src/pipeline/client-address.ts"
import { makeFailedCredentials } from "../src/pipeline/failed-credentials.ts"

const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  Object.assign(new Request("http://localhost/", { headers }), {
    runtime: { node: { req: { socket: { remoteAddress } } } }
  })

it.each<[string, string, Record<string, string>, string]>([
  ["an IPv4 address", "192.0.2.1", {}, "192.0.2.1"],
  ["IPv4 in IPv6 clothes", "::ffff:192.0.2.1", {}, "192.0.2.1"],
  ["IPv6 by its /64", "2001:db8:1:2:3:4:5:6", {}, "2001:db8:1:2::/64"],
  ["shortened IPv6 by its /64", "2001:db8::1", {}, "2001:db8:0:0::/64"],
  ["loopback", "::1", {}, "0:0:0:0::/64"],
  ["a stranger, whatever it claims", "192.0.2.1", { "x-forwarded-for": "203.0.113.9" }, "192.0.2.1"],
  ["whom a trusted proxy names", "10.0.0.1", { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
  ["the nearest that is no proxy", "10.0.0.1", { "x-forwarded-for": "1.1.1.1, 203.0.113.9, 10.0.0.2" }, "203.0.113.9"],
  ["a mapped proxy", "::ffff:10.0.0.1", { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
  ["the proxy, where it names nobody", "10.0.0.1", { "x-forwarded-for": "unknown" }, "10.0.0.1"],
  ["an address with a port", "10.0.0.1", { "x-forwarded-for": "203.0.113.9:1234" }, "203.0.113.9"],
  ["RFC 7239", "10.0.0.1", { forwarded: "for=203.0.113.9;proto=https, for=10.0.0.2" }, "203.0.113.9"],
  ["RFC 7239 with IPv6", "10.0.0.1", { forwarded: "proto=http;for=\"[2001:db8:1:2::9]:4711\"" }, "2001:db8:1:2::/64"]
])("counts %s", (_, remote, headers, expected) => {
  expect(clientAddress(from(remote, headers), proxyList(["10.0.0.0/8"]))).toBe(expected)
})

it("refuses a proxy that is no address", () => {
  expect(() => proxyList(["proxy.example"])).toThrow("proxy.example")
})

it("remembers a bounded number of addresses, and forgets who failed longest ago", () => {
  const failed = makeFailedCredentials({ max: 1, windowSeconds: 60 }, 2)
  expect(failed("a", 0).allowed).toBe(true)
  expect(failed("a", 0).allowed).toBe(false)
  failed("b", 0)
  expect(failed("a", 0).allowed).toBe(false)
  failed("c", 0)
  expect(failed("b", 0).allowed).toBe(true)
})
