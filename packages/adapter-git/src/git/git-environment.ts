import type { Environment } from "../process/environment.ts"
import { childEnvironment } from "../process/environment.ts"

/** What of the operator's environment Git, its helpers and ssh need to work as they do for the operator. */
const operators = [
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_SSH_VARIANT",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_EXEC_PATH",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "GNUPGHOME",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "all_proxy"
]

/** Git's environment: the operator's own, without prompts, in English, so that its messages can be told apart. */
export const gitEnvironment = (
  own: Environment,
  excludedPathEntries: ReadonlyArray<string>
): Record<string, string> => {
  const { LC_ALL: all, ...environment } = childEnvironment(own, excludedPathEntries, operators)
  return {
    ...environment,
    ...(all !== undefined && { LC_CTYPE: all }),
    LC_MESSAGES: "C",
    LANGUAGE: "C",
    GIT_TERMINAL_PROMPT: "0",
    // Set and empty, it keeps Git from asking any other program.
    GIT_ASKPASS: "",
    GIT_EDITOR: ":",
    GIT_PAGER: "cat",
    GIT_OPTIONAL_LOCKS: "0",
    // ssh asks this program instead of a terminal, and gets no answer.
    SSH_ASKPASS: "false",
    SSH_ASKPASS_REQUIRE: "force"
  }
}

/** Which protocols Git may speak. A lazy fetch would run what a repository names for it, so that without need there are none. */
export const allowedProtocols = (call: { readonly trusted?: boolean; readonly network?: boolean }): string =>
  call.trusted === true ? "https:ssh:file" : call.network === true ? "https:ssh" : ""
