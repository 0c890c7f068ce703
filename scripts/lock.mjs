// One process at a time prepares a checkout. Node has no flock, so the lock is a symbolic link whose target is the
// holder's process id: it is made in one step, and whoever finds it can tell whether its holder is still alive.
// It runs on the operator's own Node, so it uses nothing newer than Node 18.
import { readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

const holderOf = (path) => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

const tryTake = (path) => {
  try {
    symlinkSync(String(process.pid), path)
    return true
  } catch (error) {
    if (error.code === "EEXIST") return false
    throw error
  }
}

/** Removes the lock of a dead process. If a living one got in between, its lock is put back. */
const removeStale = (path, holder) => {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    const found = holderOf(aside)
    if (found !== holder) symlinkSync(found, path)
  } catch {
    // Somebody else removed it first.
  }
  rmSync(aside, { force: true })
}

/** Waits for the lock and returns what releases it. `onWait` is called once if it takes longer than a second. */
export const takeLock = async (path, onWait) => {
  const start = Date.now()
  let told = false
  while (!tryTake(path)) {
    const holder = holderOf(path)
    if (holder !== undefined && !isAlive(Number(holder))) {
      removeStale(path, holder)
      continue
    }
    if (!told && Date.now() - start > 1000) {
      told = true
      onWait(holder)
    }
    await sleep(50)
  }
  return () => {
    if (holderOf(path) === String(process.pid)) rmSync(path, { force: true })
  }
}
