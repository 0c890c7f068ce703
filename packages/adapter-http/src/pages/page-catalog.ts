import type { IdentityProvider } from "@coppice/core"
import { accountPages } from "./account.tsx"
import { auditPages } from "./audit.tsx"
import { automationActionPages } from "./automation-actions.tsx"
import { automationEditPages } from "./automation-edit.tsx"
import { automationNewPages } from "./automation-new.tsx"
import { automationPages } from "./automation.tsx"
import { automationsPages } from "./automations.tsx"
import { connectionPages } from "./connections.tsx"
import { consentPages } from "./consent.tsx"
import type { PageEndpoint } from "./define-page.ts"
import { homePages } from "./home.ts"
import { identityPages } from "./identity.ts"
import { invitePages } from "./invite.tsx"
import { joinPages } from "./join.tsx"
import { keyPages } from "./keys.tsx"
import { loginPages } from "./login.tsx"
import { logoutPages } from "./logout.ts"
import { memberPages } from "./member.tsx"
import { memberListPages } from "./members.tsx"
import { newKeyPages } from "./new-key.tsx"
import { organizationPages } from "./organization.ts"
import { runPages } from "./run.tsx"
import { serviceClientPages } from "./service-clients.tsx"
import { type SetupLink, setupPages } from "./setup.tsx"

/** What pages are told by the composition. */
export interface PageSettings {
  /** The first owner's way in; none when left out. */
  readonly setup?: SetupLink
  /** Other ways to sign in than by a password, in the order in which they are offered. */
  readonly identityProviders?: ReadonlyArray<IdentityProvider>
}

/** Every page, each from the file that is named for it. */
export const pageCatalog = ({ identityProviders = [], setup }: PageSettings): ReadonlyArray<PageEndpoint> => [
  ...homePages,
  ...setupPages(setup),
  ...loginPages(identityProviders),
  ...identityPages(identityProviders),
  ...logoutPages,
  ...joinPages(identityProviders),
  ...consentPages,
  ...accountPages,
  ...organizationPages,
  ...keyPages,
  ...newKeyPages,
  ...connectionPages,
  ...memberListPages,
  ...invitePages,
  ...serviceClientPages,
  ...memberPages,
  ...auditPages,
  ...automationsPages,
  ...automationNewPages,
  ...automationPages,
  ...automationActionPages,
  ...automationEditPages,
  ...runPages
]
