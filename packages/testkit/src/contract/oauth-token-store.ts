import { accessTokenTests } from "./oauth-token-store/access-token.ts"
import { refreshTokenTests } from "./oauth-token-store/refresh-token.ts"
import { revocationTests } from "./oauth-token-store/revocation.ts"
import { serviceGrantTests } from "./oauth-token-store/service-grant.ts"
import { storeContract } from "./store-contract.ts"

export const oauthTokenStoreContract = storeContract("OAuthTokenStore", (capabilities) => [
  ...accessTokenTests(capabilities),
  ...refreshTokenTests(capabilities),
  ...revocationTests(capabilities),
  ...serviceGrantTests(capabilities)
])
