import type { Host } from "@coppice/core"
import { HostStore } from "@coppice/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { type HostRow, MemoryDatabase, signal, step } from "./memory-database.ts"
import { busyWith } from "./run-record.ts"
import { find, insert, owned, pageOf, without } from "./table.ts"

export const hostStoreMemory = Layer.effect(
  HostStore,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const describe = (row: HostRow): Host => ({
      ...without(row, "holdReason"),
      running: busyWith(database, row.machineId)
    })
    return HostStore.of({
      register: (organizationId, id, facts, at) =>
        step(() => {
          const { agents, holdReason, machineId, maxConcurrentRuns, name, platform } = facts
          const known = owned(database.hosts.values(), organizationId).find((host) => host.machineId === machineId)
          const host: HostRow = {
            id: known?.id ?? id,
            organizationId,
            machineId,
            name,
            platform,
            agents,
            maxConcurrentRuns,
            status: "online",
            lastSeenAt: at,
            ...(holdReason === undefined ? {} : { holdReason }),
            createdAt: known?.createdAt ?? at,
            updatedAt: at
          }
          if (known === undefined) insert(database.hosts, id, host)
          else database.hosts.set(host.id, host)
          signal(database)
          return describe(host)
        }),
      get: (organizationId, idOrName) =>
        step(() => {
          const host = find(owned(database.hosts.values(), organizationId), idOrName)
          return host === undefined ? undefined : describe(host)
        }),
      list: (organizationId, page) =>
        step(() => pageOf(owned(database.hosts.values(), organizationId).map(describe), page)),
      seen: (machineId, at, holdReason) =>
        step(() => {
          for (const host of database.hosts.values()) {
            if (host.machineId !== machineId) continue
            const rest = without(host, "holdReason", "offlineReason")
            database.hosts.set(host.id, {
              ...rest,
              ...(holdReason === undefined ? {} : { holdReason }),
              status: "online",
              lastSeenAt: at,
              updatedAt: at
            })
          }
          signal(database)
        }),
      expire: (lastSeenBefore, reason, at) =>
        step(() => {
          for (const host of database.hosts.values()) {
            if (host.status === "offline" || DateTime.isGreaterThanOrEqualTo(host.lastSeenAt, lastSeenBefore)) continue
            database.hosts.set(host.id, { ...host, status: "offline", offlineReason: reason, updatedAt: at })
          }
        })
    })
  })
)
