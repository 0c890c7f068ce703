import { eachMessage, frontend, type Listening, parseListening } from "./protocol.ts"

interface Memory {
  readonly statements: Map<string, Listening | undefined>
}

/** Notes the statements that a cycle names or closes, and tells what it would begin or cease to listen to. */
export const rememberCycle = (memory: Memory, cycle: Uint8Array): ReadonlyArray<Listening> => {
  const found: Array<Listening> = []
  let unnamed: Listening | undefined
  eachMessage(cycle, 0, cycle.length, (_type, start) => {
    const message = frontend(cycle, start)
    switch (message?.kind) {
      case undefined:
        return
      case "parse": {
        const listening = parseListening(message.sql)
        if (message.name === "") unnamed = listening
        else memory.statements.set(message.name, listening)
        return
      }
      case "bind": {
        const listening = message.name === "" ? unnamed : memory.statements.get(message.name)
        if (listening !== undefined) found.push(listening)
        return
      }
      case "close":
        memory.statements.delete(message.name)
        return
      case "query": {
        const listening = parseListening(message.sql)
        if (listening !== undefined) found.push(listening)
      }
    }
  })
  return found
}
