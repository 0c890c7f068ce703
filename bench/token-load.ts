import { createHash } from "node:crypto"
import { Agent, request } from "node:http"

/** A public client, and codes for it that were approved and not redeemed. */
export interface TokenSeed {
  readonly clientId: string
  readonly codes: ReadonlyArray<string>
}

export const redirectUri = "https://client.example.com/callback"
const verifier = "v".repeat(64)
export const challenge = createHash("sha256").update(verifier).digest("base64url")

interface Answer {
  readonly access_token: string
  readonly refresh_token: string
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

const post = (url: string, fields: Record<string, string>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const body = new URLSearchParams(fields).toString()
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": body.length }
    request(url, { agent, method: "POST", headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk)).on("error", reject).on("end", () => {
        const answer = (response.statusCode === 200 ? JSON.parse(text) : {}) as Partial<Answer>
        if (answer.access_token === undefined || answer.refresh_token === undefined) {
          return reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 500)}`))
        }
        resolve(answer as Answer)
      })
    }).once("error", reject).end(body)
  })

/** Does the same for each, so many at a time. */
const inTurn = async <A, B>(items: ReadonlyArray<A>, connections: number, one: (item: A) => Promise<B>): Promise<ReadonlyArray<B>> => {
  const done: Array<B> = []
  let next = 0
  await Promise.all(Array.from({ length: connections }, async () => {
    while (next < items.length) done.push(await one(items[next++]!))
  }))
  return done
}

/** Redeems codes, each with its verifier; answers the refresh tokens that came of it. */
export const redeemAll = (url: string, clientId: string, codes: ReadonlyArray<string>, connections: number) =>
  inTurn(codes, connections, async (code) => {
    const fields = { grant_type: "authorization_code", client_id: clientId, redirect_uri: redirectUri, code, code_verifier: verifier }
    return (await post(url, fields)).refresh_token
  })

/** Exchanges refresh tokens, each of which must come back as another one. */
export const refreshAll = (url: string, clientId: string, tokens: ReadonlyArray<string>, connections: number) =>
  inTurn(tokens, connections, async (token) => {
    const { refresh_token } = await post(url, { grant_type: "refresh_token", client_id: clientId, refresh_token: token })
    if (refresh_token === token) throw new Error("A refresh token was not rotated")
    return refresh_token
  })
