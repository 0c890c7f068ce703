import { createHash } from "node:crypto"

/** The variable by which a process of this installation is known, whatever group or parent it has by now. */
export const markerName = "COPPICE_PROCESS"

/** An installation is a machine's id and a data folder: a copied folder must not end the original's processes. */
export const installationOf = (machineId: string, home: string): string =>
  createHash("sha256").update(`${machineId}\0${home}`).digest("hex").slice(0, 32)

/** What every process of an installation has in its environment. */
export const installationMarker = (installation: string): string => `${markerName}=${installation}/`

/** What every process of one job of it has. */
export const jobMarker = (installation: string, job: string): string => `${installationMarker(installation)}${job}/`

/** The variable's value for a job. */
export const markerValue = (installation: string, job: string): string => `${installation}/${job}/`
