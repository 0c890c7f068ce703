import type { AgentSessionId, Timestamp } from "@coppice/core"
import type { Job } from "../process/job.ts"
import type { OutputRing } from "../process/output-ring.ts"

/** A session whose process was started in this life of the host. */
export interface Session {
  readonly pid: number
  readonly startedAt: Timestamp
  /** Absent once its output was let go. */
  ring?: OutputRing
  job?: Job
}

/** How many ended sessions' output is kept, and how many ended sessions are known at all. */
export interface Retention {
  readonly endedSessions: number
  readonly knownSessions: number
}

/** The sessions of this life. Those that run are kept; of those that ended the latest. */
export class Sessions {
  readonly #sessions = new Map<AgentSessionId, Session>()
  readonly #ended: Array<AgentSessionId> = []
  readonly #retention: Retention

  constructor(retention: Retention) {
    this.#retention = retention
  }

  get(id: AgentSessionId): Session | undefined {
    return this.#sessions.get(id)
  }

  set(id: AgentSessionId, session: Session): void {
    this.#sessions.set(id, session)
  }

  running(): ReadonlyArray<Job> {
    return [...this.#sessions.values()].flatMap(({ job }) => job ?? [])
  }

  ended(id: AgentSessionId): void {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    delete session.job
    this.#ended.push(id)
    const silent = this.#ended[this.#ended.length - 1 - this.#retention.endedSessions]
    if (silent !== undefined) delete this.#sessions.get(silent)?.ring
    if (this.#ended.length > this.#retention.knownSessions) this.#sessions.delete(this.#ended.shift()!)
  }
}
