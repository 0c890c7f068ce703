import type { RequirementId } from "./requirements.ts"

/**
 * Cites, in a test's title, the requirements that the test proves: `verifies("webhook.paused-400") + "a paused …"`. The
 * ids are written out, because the test that looks for uncited requirements reads the sources.
 */
export const verifies = (...ids: readonly [RequirementId, ...ReadonlyArray<RequirementId>]): string =>
  `[${ids.join(" ")}] `
