/** Registers a client that sends its users to an address, and answers its id. */
export const registerClient = async (base: string, redirectUri: string, name: string): Promise<string> => {
  const response = await fetch(`${base}/api/auth/oauth2/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" })
  })
  return (await response.json() as { readonly client_id: string }).client_id
}
