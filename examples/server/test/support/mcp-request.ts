/** POSTs one JSON-RPC message, as a client with sessions does. */
export const postMessage = (
  url: string,
  key: string,
  message: object,
  headers: Record<string, string> = {}
): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })
  })
