export type Body = NonNullable<RequestInit["body"]>

export const mebibyte = 1_048_576

/** A POST with a token and a body, as senders make them. */
export const post = (token: string | undefined, body?: Body, headers: Record<string, string> = {}) => ({
  method: "POST",
  ...(body === undefined ? {} : { body }),
  headers: {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers
  }
})

/** A JSON array of exactly so many bytes. */
export const padded = (bytes: number) => `["${"x".repeat(bytes - 4)}"]`

/** A body that comes in pieces and says no length. */
export const stream = (...chunks: ReadonlyArray<string>) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    }
  })
