import { BlockList, isIP, isIPv4, isIPv6 } from "node:net"
import { nodeExchange } from "./call.ts"

const family = (address: string) => isIPv6(address) ? "ipv6" : "ipv4"

/** The addresses and networks ("10.0.0.0/8") whose word on who the client is counts. */
export const proxyList = (entries: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = "", prefix] = entry.split("/")
    if (isIP(address) === 0) throw new TypeError(`A trusted proxy is an address or a network, and "${entry}" is neither.`)
    if (prefix === undefined) list.addAddress(address, family(address))
    else list.addSubnet(address, Number(prefix), family(address))
  }
  return list
}

/** An IPv4 address that came in the clothes of an IPv6 one (RFC 4291 section 2.5.5.2) is the IPv4 address. */
const unmapped = (address: string): string => {
  const inner = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  return inner !== undefined && isIPv4(inner) ? inner : address
}

/** Who each proxy on the way says it heard from, the nearest last (X-Forwarded-For, or `for=` of RFC 7239). */
const forwardedFor = (headers: Headers): ReadonlyArray<string> => {
  const list = headers.get("x-forwarded-for")
  if (list !== null) return list.split(",").map((part) => part.trim())
  const elements = headers.get("forwarded")?.split(",") ?? []
  return elements.map((element) => /(?:^|;)\s*for=(?:"\[?([^"\]]+)\]?(?::\d+)?"|([^;\s]+))/i.exec(element))
    .map((match) => match?.[1] ?? match?.[2] ?? "")
}

/** The first /64 of an IPv6 address, which is what one customer gets; an IPv4 address as it is. */
const neighbourhood = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = "", tail] = address.split("%")[0]!.split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0")
  const groups = [...left, ...zeros, ...right].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(":")}::/64`
}

/** By whom a request is counted: the nearest address on its way that is no trusted proxy. */
export const clientAddress = (request: Request, trusted: BlockList): string => {
  let address = unmapped(nodeExchange(request)?.req.socket.remoteAddress ?? "")
  for (const before of [...forwardedFor(request.headers)].reverse()) {
    if (isIP(address) === 0 || !trusted.check(address, family(address))) break
    const next = unmapped(before.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1"))
    if (isIP(next) === 0) break
    address = next
  }
  return neighbourhood(address)
}
