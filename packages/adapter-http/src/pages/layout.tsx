import type { ComponentChildren } from "preact"
import type { SignedIn } from "@coppice/core"
import { assetPath } from "./assets.ts"
import { Button, Form } from "./form.tsx"
import { useFrame } from "./frame.ts"
import { Notice, type NoticeText } from "./notice.tsx"

/** The ways from any page to any other. */
const places = [
  { path: "/automations", text: "Automations", for: "everybody" },
  { path: "/settings/keys", text: "Keys", for: "everybody" },
  { path: "/settings/connections", text: "Connections", for: "everybody" },
  { path: "/settings/members", text: "Members", for: "everybody" },
  { path: "/settings/audit", text: "Audit log", for: "admins" }
] as const

const isAt = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)

const Places = ({ signedIn: { active } }: { readonly signedIn: SignedIn }) => {
  const { path } = useFrame()
  const isAdmin = active !== undefined && active.member.role !== "member"
  return (
    <nav class="places" aria-label="Main">
      <ul>
        {places.filter((place) => place.for === "everybody" || isAdmin).map((place) => (
          <li><a href={place.path} aria-current={isAt(path, place.path) ? "page" : undefined}>{place.text}</a></li>
        ))}
      </ul>
    </nav>
  )
}

const Switcher = ({ active, memberships }: SignedIn) => (
  <Form action="/settings/organization" class="switcher">
    <input type="hidden" name="return" value={useFrame().location} />
    <p class="menu-title">Organizations</p>
    {memberships.map(({ organization: { id, name } }) => (
      <button type="submit" class="quiet" name="organizationId" value={id} aria-current={id === active?.organization.id ? "true" : undefined}>
        {name}
      </button>
    ))}
  </Form>
)

/** Opens and closes without script. */
const AccountMenu = ({ signedIn }: { readonly signedIn: SignedIn }) => (
  <details class="account">
    <summary>
      <span class="who">{signedIn.user.name}</span>
      <span class="where">{signedIn.active?.organization.name ?? "No organization"}</span>
    </summary>
    <div class="menu">
      <p class="address">{signedIn.user.email}</p>
      <a href="/settings/account">Account</a>
      {signedIn.memberships.length > 1 && <Switcher {...signedIn} />}
      <Form action="/logout"><Button kind="quiet">Sign out</Button></Form>
    </div>
  </details>
)

export interface LayoutProps {
  readonly title: string
  readonly notice?: NoticeText | undefined
  /** A page with one thing to do, in the middle. */
  readonly narrow?: boolean
  readonly children: ComponentChildren
}

/** What all pages have around their own part. */
export const Layout = ({ children, narrow = false, notice, title }: LayoutProps) => {
  const signedIn = useFrame().visit?.signedIn
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Coppice`}</title>
        <link rel="stylesheet" href={assetPath("app.css")} />
        <link rel="icon" type="image/svg+xml" href={assetPath("icon.svg")} />
        <script src={assetPath("app.js")} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/">
            <img src={assetPath("icon.svg")} alt="" width="24" height="24" />
            Coppice
          </a>
          {signedIn !== undefined && <Places signedIn={signedIn} />}
          {signedIn !== undefined && <AccountMenu signedIn={signedIn} />}
        </header>
        <main id="main" class={narrow ? "narrow" : undefined}>
          <h1>{title}</h1>
          {notice !== undefined && <Notice kind={notice.kind}>{notice.text}</Notice>}
          {children}
        </main>
      </body>
    </html>
  )
}
