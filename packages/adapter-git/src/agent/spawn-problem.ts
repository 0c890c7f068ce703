/** What the system says when a program cannot be started, in words. */
const words: Readonly<Record<string, string>> = {
  ENOENT: "its program, or the interpreter that it names, is not there",
  EACCES: "its program may not be executed",
  ENOEXEC: "its program is not executable on this machine",
  E2BIG: "its arguments and environment are too long",
  EMFILE: "this process has too many files open",
  ENFILE: "the machine has too many files open",
  EAGAIN: "the machine has too many processes",
  ENOMEM: "the machine has too little memory"
}

const exhausted = new Set(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"])

/** Why a program could not be started; nothing when the error is about something else. */
export const spawnProblem = (error: unknown): string | undefined => {
  const { code = "", syscall = "" } = error as NodeJS.ErrnoException
  return syscall.startsWith("spawn") || exhausted.has(code) ? words[code] ?? code : undefined
}
