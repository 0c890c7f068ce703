/** The header field that names a session, in requests and in the answer to `initialize`. */
export const sessionIdHeader = "mcp-session-id"
