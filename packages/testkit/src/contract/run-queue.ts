import { changesTests } from "./run-queue/changes.ts"
import { claimTests } from "./run-queue/claim.ts"
import { agreesWithTheModel } from "./run-queue/history.ts"
import { renewTests } from "./run-queue/renew.ts"
import { settleTests } from "./run-queue/settle.ts"
import { updateTests } from "./run-queue/update.ts"
import { storeContract } from "./store-contract.ts"

export const runQueueContract = storeContract("RunQueue", (capabilities) => [
  ...claimTests(capabilities),
  ...renewTests(capabilities),
  ...updateTests(capabilities),
  ...settleTests(capabilities),
  ...changesTests,
  agreesWithTheModel(capabilities)
])
