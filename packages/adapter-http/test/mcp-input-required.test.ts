import { expect, it } from "vitest"
import { askingTools as tools, erased, thing } from "./support/asking-tools.ts"
import { describeMatrix, type MatrixContext } from "./support/matrix.ts"
import { headersOf, modern } from "./support/modern.ts"
import { type Answer, send } from "./support/rpc.ts"

interface Required {
  readonly resultType?: string
  readonly inputRequests?: { readonly [key: string]: { readonly method: string; readonly params: { readonly message: string } } }
  readonly requestState?: string
  readonly structuredContent?: object
}

describeMatrix("questions under 2026-07-28", (context: () => MatrixContext) => {
  const capable = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } }
  const person = async () => {
    const { key, userId } = await context().addKey()
    const call = async (params: Record<string, unknown>, { fields = capable as object, accept = "" } = {}) => {
      const message = modern("tools/call", params, fields)
      const headers = { ...headersOf(message), ...(accept === "" ? {} : { accept }) }
      return (await (await context().fetch("/mcp", send(key, message, headers))).json() as Answer).result as Required
    }
    const erase = (thingId: string, more: object = {}, options?: Parameters<typeof call>[1]) =>
      call({ name: "things_erase", arguments: { thingId }, ...more }, options)
    return { call, erase, did: (thingId: string) => erased.includes(`${userId} ${thingId}`) }
  }
  const keyOf = ({ inputRequests }: Required) => Object.keys(inputRequests!)[0]!
  const yes = { action: "accept", content: {} }

  it.each(["application/json, text/event-stream", "application/json"])("end the call to Accept %s, which is made again with the answer", async (accept) => {
    const { did, erase } = await person()
    const thingId = thing()
    const asked = await erase(thingId, {}, { accept })
    expect(asked).toEqual({
      resultType: "input_required",
      inputRequests: {
        [keyOf(asked)]: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: expect.stringContaining(`Erase a thing? Erases it.\nthingId: "${thingId}"`),
            requestedSchema: { type: "object", properties: {} }
          }
        }
      },
      _meta: expect.anything()
    })
    expect(did(thingId)).toBe(false)
    const done = await erase(thingId, { inputResponses: { [keyOf(asked)]: yes } })
    expect(done).toMatchObject({ resultType: "complete", structuredContent: { erased: thingId } })
    expect(did(thingId)).toBe(true)
  })

  it.each(["decline", "cancel"])("end the call with nothing done when the person answers %s", async (action) => {
    const { did, erase } = await person()
    const thingId = thing()
    const key = keyOf(await erase(thingId))
    expect(await erase(thingId, { inputResponses: { [key]: { action } } })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "FORBIDDEN" } }
    })
    expect(did(thingId)).toBe(false)
  })

  it("take an answer for the very call, of the very caller, and for nothing else", async () => {
    const [ann, bob] = [await person(), await person()]
    const [mine, other] = [thing(), thing()]
    const answered = { inputResponses: { [keyOf(await ann.erase(mine))]: yes } }
    expect(await ann.erase(other, answered)).toMatchObject({ resultType: "input_required" })
    expect(await bob.erase(mine, answered)).toMatchObject({ resultType: "input_required" })
    expect(await ann.erase(mine, { inputResponses: { confirm: yes } })).toMatchObject({ resultType: "input_required" })
    expect(await ann.erase(mine, { inputResponses: { [Object.keys(answered.inputResponses)[0]!]: "yes" } }))
      .toMatchObject({ resultType: "input_required" })
    expect([ann.did(mine), ann.did(other), bob.did(mine)]).toEqual([false, false, false])
    // Also where the question shows too little of the arguments to tell them apart.
    const long = thing().repeat(300)
    const toLong = { inputResponses: { [keyOf(await ann.erase(`${long}1`))]: yes } }
    expect(await ann.erase(`${long}2`, toLong)).toMatchObject({ resultType: "input_required" })
  })

  it("go on from the answers of earlier rounds, and start over from a state that is none", async () => {
    const { call } = await person()
    const survey = (more: object = {}) => call({ name: "survey", arguments: {}, ...more })
    const first = await survey()
    expect(first).not.toHaveProperty("requestState")
    const name = { action: "accept", content: { name: "Ann" } }
    const second = await survey({ inputResponses: { [keyOf(first)]: name } })
    expect(Object.values(second.inputRequests!)[0]!.params.message).toBe("Color?")
    const answered = { inputResponses: { [keyOf(second)]: { action: "decline" } } }
    expect(await survey({ ...answered, requestState: second.requestState })).toMatchObject({
      structuredContent: { name, color: { action: "decline" } }
    })
    for (const requestState of [undefined, "nonsense", Buffer.from("[1]").toString("base64url")]) {
      const again = await survey({ ...answered, ...(requestState === undefined ? {} : { requestState }) })
      expect(Object.values(again.inputRequests!)[0]!.params.message).toBe("Name?")
    }
  })

  it.each<[string, object]>([
    ["cannot ask", {}],
    ["can only open addresses", { "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {} } } }]
  ])("are not put to a client that %s: it goes by the tool's annotations", async (_, fields) => {
    const { erase } = await person()
    const thingId = thing()
    expect(await erase(thingId, {}, { fields })).toMatchObject({ structuredContent: { erased: thingId } })
  })
}, { tools })
