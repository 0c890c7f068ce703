/** Where a person may be sent after signing in: pages of ours that have something to go back to. */
const pages = /^\/(?:consent|join|automations|settings)(?:[/?]|$)/

/** Nothing that a browser reads otherwise than it is written: no backslash, no control character, no second slash, no dots. */
const plain = /^\/[A-Za-z0-9._~%?=&+,:@-][A-Za-z0-9._~%?=&+,:@/-]*$/

const maxLength = 2000

/** The path, if it is one that a person may be sent to; never another site. */
export const safeReturn = (path: string | null | undefined): string | undefined =>
  path != null && path.length <= maxLength && plain.test(path) && pages.test(path) && !/\/\/|\/\.{1,2}(?:[/?]|$)/.test(path)
    ? path
    : undefined

/** Where to sign in, to come back here. */
export const loginPath = (back?: string | null): string => {
  const path = safeReturn(back)
  return path === undefined ? "/login" : `/login?return=${encodeURIComponent(path)}`
}

/** What the page to sign in is asked by to do so for who is signed in already, too. */
export const againNotice = "again"

/** Where to sign in once more, to come back here. */
export const loginAgainPath = (back: string): string => `/login?notice=${againNotice}&return=${encodeURIComponent(safeReturn(back) ?? "/")}`
