import { hostContracts } from "@coppice/testkit/contract"
import { fakeHostWithFixture } from "./fake-host-fixture.ts"

hostContracts("the fake host", fakeHostWithFixture, { clock: "test" })
