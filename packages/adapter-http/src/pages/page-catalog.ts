import type { PageEndpoint } from "./define-page.ts"
import { homePages } from "./home.ts"
import { loginPages } from "./login.tsx"
import { logoutPages } from "./logout.ts"
import { organizationPages } from "./organization.ts"

/** Every page, each from the file that is named for it. */
export const pageCatalog = (): ReadonlyArray<PageEndpoint> => [
  ...homePages,
  ...loginPages,
  ...logoutPages,
  ...organizationPages
]
