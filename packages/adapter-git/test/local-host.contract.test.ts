import { hostContracts } from "@coppice/testkit/contract"
import { localHostWithFixture } from "./host-fixture.ts"

hostContracts("this machine", localHostWithFixture, { clock: "real" })
