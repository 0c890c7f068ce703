import { accountPages } from "./account.tsx"
import { consentPages } from "./consent.tsx"
import type { PageEndpoint } from "./define-page.ts"
import { homePages } from "./home.ts"
import { joinPages } from "./join.tsx"
import { loginPages } from "./login.tsx"
import { logoutPages } from "./logout.ts"
import { organizationPages } from "./organization.ts"
import { type SetupLink, setupPages } from "./setup.tsx"

/** What pages are told by the composition. */
export interface PageSettings {
  /** The first owner's way in; none when left out. */
  readonly setup?: SetupLink
}

/** Every page, each from the file that is named for it. */
export const pageCatalog = ({ setup }: PageSettings): ReadonlyArray<PageEndpoint> => [
  ...homePages,
  ...setupPages(setup),
  ...loginPages,
  ...logoutPages,
  ...joinPages,
  ...consentPages,
  ...accountPages,
  ...organizationPages
]
