import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { failureOf, fixture, projectId, sandbox, soon, write } from "./sandbox.ts"

const ssh = { environment: { GIT_SSH_COMMAND: fixture("fake-ssh.sh") } }

describe("inspecting a path", () => {
  it("answers the repository, links resolved, for a folder in it too", async () => {
    const world = await sandbox()
    const path = world.repository("app", { "dir/a": "a\n" })
    symlinkSync(path, join(world.code, "link"))
    const inspect = (path: string) => Effect.runPromise(world.host.repositories.inspect(path))
    const repository = { path, defaultBranch: "main" }
    expect(await inspect(path)).toEqual(repository)
    expect(await inspect(join(path, "dir"))).toEqual(repository)
    expect(await inspect(join(world.code, "link"))).toEqual(repository)
    expect(await inspect(`${path}/dir/../`)).toEqual(repository)
    world.git(path, "switch", "--quiet", "-c", "develop")
    expect(await inspect(path)).toEqual({ path, defaultBranch: "develop" })
    world.git(path, "switch", "--quiet", "--detach")
    expect((await inspect(path)).defaultBranch).toMatch(/^(?:main|develop)$/)
  })

  it("says why one is refused", async () => {
    const world = await sandbox()
    const path = world.repository()
    const bare = join(world.code, "bare")
    world.git(world.code, "init", "--quiet", "--bare", bare)
    world.git(world.code, "init", "--quiet", join(world.code, "empty"))
    mkdirSync(join(world.code, "plain"))
    write(world.code, { "file": "x" })
    symlinkSync(world.operatorHome, join(world.code, "way-out"))
    world.git(world.folder, "init", "--quiet")
    const cases: ReadonlyArray<readonly [path: string, message: RegExp]> = [
      ["code/app", /not an absolute path/],
      ["~/code", /not an absolute path/],
      ["--help", /not an absolute path/],
      [world.operatorHome, /outside/],
      [join(world.folder, "nothing-here"), /outside/],
      [join(world.code, "way-out"), /outside/],
      [join(world.code, "../operator"), /outside/],
      [join(world.code, "nothing"), /nothing at/],
      [join(world.code, "file"), /not a folder/],
      // Its repository's top lies above the roots.
      [join(world.code, "plain"), /outside/],
      [bare, /bare/],
      [join(world.code, "empty"), /no commit/],
      [join(path, ".git"), /Git folder/]
    ]
    for (const [given, message] of cases) {
      const failure = await failureOf(world.host.repositories.inspect(given))
      expect(failure, given).toMatchObject({ _tag: "InvalidRequest", code: "INVALID_REQUEST" })
      expect(failure.message, given).toMatch(message)
      expect(failure.hint, given).toBeTruthy()
    }
  })
})

describe("cloning", () => {
  it("takes a repository over ssh, once for each project", async () => {
    const world = await sandbox(ssh)
    const path = world.repository()
    const project = projectId()
    const clone = (url: string) => Effect.runPromise(world.host.repositories.clone({ projectId: project, url, deadline: soon() }))
    const [first, second] = await Promise.all([clone(`ssh://git@here${path}`), clone(`git@here:${path}`)])
    expect(first).toEqual({ path: join(world.home, "repositories", project), defaultBranch: "main" })
    expect(second).toEqual(first)
    expect(readdirSync(join(world.home, "repositories"))).toEqual([project])
    const worktree = await world.create(world.request(first.path))
    expect(readFileSync(join(worktree.path, "README.md"), "utf8")).toBe("# App\n")
  })

  it("refuses every other URL, and says why a remote did", async () => {
    const world = await sandbox(ssh)
    const clone = (url: string) => failureOf(world.host.repositories.clone({ projectId: projectId(), url, deadline: soon() }))
    for (const url of [
      "file:///tmp/x", "/tmp/x", "../x", "http://host/x", "git://host/x", "ext::sh -c touch% /tmp/pwned", "EXT::x", "fd::3", "https::x",
      "--upload-pack=touch /tmp/pwned", "-x", "ssh://-oProxyCommand=touch/x", "ssh://host\n/x", "-o@host:x", "host:-x", "", "https://", "C:\\x"
    ]) expect(await clone(url), url).toMatchObject({ _tag: "InvalidRequest" })
    for (const url of ["https://user:secret@host/x", "https://token@host/x", "ssh://git:secret@host/x"]) {
      const failure = await clone(url)
      expect(failure).toMatchObject({ _tag: "InvalidRequest" })
      expect(JSON.stringify(failure)).not.toMatch(/secret|token@/)
    }
    expect(await clone("ssh://git@here/no/such/repository")).toMatchObject({ _tag: "Conflict" })
    expect(await clone("https://127.0.0.1:1/x")).toMatchObject({ _tag: "Conflict" })
    expect(readdirSync(join(world.home, "repositories"))).toEqual([])
    expect(existsSync("/tmp/pwned")).toBe(false)
  })
})

for (const trusted of [false, true]) {
  describe(`pushing (${trusted ? "trusted" : "untrusted"})`, () => {
    const prepared = async () => {
      const world = await sandbox(ssh)
      const path = world.repository()
      const remote = join(world.folder, "remote.git")
      world.git(world.folder, "clone", "--quiet", "--bare", path, remote)
      world.git(path, "remote", "add", "origin", `ssh://git@here${remote}`)
      const push = { repositoryPath: path, trusted, branch: "main", deadline: soon() }
      return { ...world, path, remote, push }
    }

    it("sends a branch, and never forces it", async () => {
      const { git, host, path, remote, push } = await prepared()
      git(path, "commit", "--quiet", "--allow-empty", "-m", "More")
      const commit = git(path, "rev-parse", "HEAD")
      expect(await Effect.runPromise(host.repositories.push(push))).toEqual({ remote: "origin", commit })
      expect(git(remote, "rev-parse", "main")).toBe(commit)
      expect(git(path, "rev-parse", "refs/remotes/origin/main")).toBe(commit)
      git(path, "commit", "--quiet", "--amend", "--allow-empty", "-m", "Other")
      git(path, "config", "remote.origin.push", "+refs/heads/*:refs/heads/*")
      const failure = await failureOf(host.repositories.push(push))
      expect(failure).toMatchObject({ _tag: "Conflict", code: "CONFLICT" })
      expect(failure.message).toMatch(/rejected|fast-forward|fetch first/)
      expect(git(remote, "rev-parse", "main")).toBe(commit)
    })

    it("refuses what it cannot send", async () => {
      const { host, push } = await prepared()
      for (const branch of ["none", "--force", "+main", "main:other", ":main", "refs/heads/main", "a\nb"]) {
        expect(await failureOf(host.repositories.push({ ...push, branch })), branch).toMatchObject({ _tag: "InvalidRequest" })
      }
      expect((await failureOf(host.repositories.push({ ...push, remote: "none" }))).message).toMatch(/no remote "none"/)
      for (const remote of ["--force", "ext::sh -c x", "https://host/x", "../x", ""]) {
        expect(await failureOf(host.repositories.push({ ...push, remote })), remote).toMatchObject({ _tag: expect.stringMatching(/InvalidRequest|Conflict/) })
      }
    })
  })
}
