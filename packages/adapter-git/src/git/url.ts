/** How a remote is reached. Anything else that Git could be told, as `ext::`, a file or a local path, is none of these. */
export type Transport = "https" | "ssh"

// eslint-disable-next-line no-control-regex
const unprintable = /[\u0000-\u0020\u007f]/

/** `user@host:path`, as scp writes it; a path that starts with a colon would be a remote helper's. */
const scpLike = /^(?:([^@:/\s]+)@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!:)([^:\\].*)$/

const parsed = (url: string): URL | undefined => {
  if (unprintable.test(url) || !/^(?:https|ssh):\/\//i.test(url)) return undefined
  try {
    const found = new URL(url)
    // A host that begins with a dash would be an option of ssh's.
    return found.hostname === "" || found.hostname.startsWith("-") || found.username.startsWith("-") ? undefined : found
  } catch {
    return undefined
  }
}

/** Which of the two ways a URL takes, if any. */
export const transportOf = (url: string): Transport | undefined => {
  const found = parsed(url)
  if (found !== undefined) return found.protocol === "https:" ? "https" : "ssh"
  const scp = unprintable.test(url) || url.includes("://") ? null : scpLike.exec(url)
  return scp !== null && !scp[1]?.startsWith("-") && !scp[3]!.startsWith("-") ? "ssh" : undefined
}

/** Whether a secret is written into a URL: any user over https, which may be a token, and any password. */
export const hasCredentials = (url: string): boolean => {
  const found = parsed(url)
  return found !== undefined && (found.password !== "" || (found.protocol === "https:" && found.username !== ""))
}

/** A URL as it may be shown. */
export const withoutCredentials = (text: string): string => text.replace(/(\w+:\/\/)[^\s@/]*@/g, "$1")

/** Resolves a submodule's `./` or `../` URL against the URL of the repository that names it, as Git does. */
export const resolveUrl = (base: string, url: string): string => {
  let from = base.replace(/\/+$/, "")
  let rest = url
  while (/^\.\.?\//.test(rest)) {
    if (rest.startsWith("../")) {
      // The last step of an scp-like URL's path follows a colon.
      const cut = Math.max(from.lastIndexOf("/"), from.includes("://") ? -1 : from.lastIndexOf(":"))
      if (cut <= 0) return ""
      from = from[cut] === ":" ? from.slice(0, cut + 1) : from.slice(0, cut)
      rest = rest.slice(3)
    } else rest = rest.slice(2)
  }
  return from.endsWith(":") ? `${from}${rest}` : `${from}/${rest}`
}
