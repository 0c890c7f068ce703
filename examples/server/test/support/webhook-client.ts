import { request } from "node:http"

/** What came of one webhook request. Without a status there was no answer. */
export interface Delivery {
  readonly n: number
  readonly sentAt: number
  readonly status?: number
  readonly runId?: string
  readonly retryAfter?: string
}

/** One request on a connection of its own, so that nobody repeats it behind our back. */
const post = (url: string, token: string, body: string): Promise<{ status: number; body: string; retryAfter?: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      agent: false,
      timeout: 15_000,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => text += piece)
      response.on("error", reject)
      response.on("end", () => {
        const retryAfter = response.headers["retry-after"]
        resolve({ status: response.statusCode!, body: text, ...(retryAfter === undefined ? {} : { retryAfter }) })
      })
    })
    sent.on("timeout", () => sent.destroy(new Error("no answer")))
    sent.on("error", reject)
    sent.end(body)
  })

let last = 0

/** Sends webhooks, and keeps what was answered to each. */
export const webhookClient = () => {
  const deliveries: Array<Delivery> = []
  return {
    deliveries: deliveries as ReadonlyArray<Delivery>,
    send: async ({ token, url }: { readonly url: string; readonly token: string }, payload: object): Promise<Delivery> => {
      const n = ++last
      const sentAt = Date.now()
      const delivery: Delivery = await post(url, token, JSON.stringify({ n, ...payload })).then(
        ({ body, retryAfter, status }) => ({
          n,
          sentAt,
          status,
          ...(status === 200 ? { runId: (JSON.parse(body) as { runId: string }).runId } : {}),
          ...(retryAfter === undefined ? {} : { retryAfter })
        }),
        () => ({ n, sentAt })
      )
      deliveries.push(delivery)
      return delivery
    }
  }
}
