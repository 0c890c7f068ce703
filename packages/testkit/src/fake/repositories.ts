import { Conflict, InvalidRequest } from "@coppice/core"
import type { Repositories } from "@coppice/core/ports"
import { Clock, Effect } from "effect"
import type { FakeRepository } from "./git.ts"
import { makeRepository } from "./git.ts"
import type { Machine } from "./machine.ts"

const invalid = (message: string) => Effect.fail(new InvalidRequest({ message }))

/** The remote of a clone: it holds what its origin held then. */
const cloneOf = (origin: FakeRepository, path: string): FakeRepository => {
  const clone = makeRepository(path, { defaultBranch: origin.defaultBranch })
  for (const [id, commit] of origin.commits) clone.commits.set(id, commit)
  const head = origin.branches.get(origin.defaultBranch)
  if (head !== undefined) clone.branches.set(origin.defaultBranch, head)
  clone.remotes.set("origin", { name: "origin", branches: new Map(origin.branches) })
  return clone
}

const isUnder = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`)

/** `https://…`, `ssh://…`, or the short form `user@host:path`, and no password in it. */
const urlProblem = (url: string): string | undefined => {
  const full = /^(https|ssh):\/\/([^/]*)\/./.exec(url)
  if (full === null && !/^[\w.-]+@[\w.-]+:(?!\/\/)./.test(url)) return "Only https and ssh URLs can be cloned."
  return full !== null && /:.*@/.test(full[2]!) ? "The URL has a password in it." : undefined
}

export const fakeRepositories = (machine: Machine): Repositories["Service"] => ({
  inspect: (given) =>
    machine.calls.call(
      "Repositories.inspect",
      given,
      Effect.suspend(() => {
        if (!given.startsWith("/")) return invalid(`The path ${given} is not absolute.`)
        const path = given.replace(/\/+$/, "")
        if (!machine.repositoryRoots.some((root) => isUnder(root, path)) || path.split("/").includes("..")) {
          return invalid(`The path ${path} is outside the folders where repositories may lie.`)
        }
        const repository = [...machine.repositories.values()].find((candidate) => isUnder(candidate.path, path))
        if (repository === undefined) return invalid(`There is no Git repository at ${path}.`)
        if (repository.bare) return invalid(`The repository ${path} is bare: it has no working tree.`)
        if (repository.commits.size === 0) return invalid(`The repository ${path} has no commit yet.`)
        return Effect.succeed({ path: repository.path, defaultBranch: repository.defaultBranch })
      })
    ),
  clone: (request) =>
    machine.calls.call(
      "Repositories.clone",
      request,
      Effect.gen(function*() {
        const problem = urlProblem(request.url)
        if (problem !== undefined) return yield* invalid(problem)
        const path = `/data/repositories/${request.projectId}`
        const known = machine.repositories.get(path)
        if (known !== undefined) return { path, defaultBranch: known.defaultBranch }
        const remote = machine.remoteRepositories.get(request.url)
        const refusal = remote === undefined ? "There is no repository there." : remote.refuses
        if (remote === undefined || refusal !== undefined) {
          return yield* new Conflict({ message: `${request.url} could not be cloned: ${refusal}` })
        }
        if ((yield* Clock.currentTimeMillis) >= request.deadline.epochMilliseconds) {
          return yield* new Conflict({ message: `${request.url} could not be cloned in time.` })
        }
        machine.repositories.set(path, cloneOf(remote.repository, path))
        return { path, defaultBranch: remote.repository.defaultBranch }
      })
    ),
  push: (request) =>
    machine.calls.call(
      "Repositories.push",
      request,
      Effect.suspend((): Effect.Effect<{ remote: string; commit: string }, InvalidRequest | Conflict> => {
        const repository = machine.repositories.get(request.repositoryPath)
        if (repository === undefined) return invalid(`There is no Git repository at ${request.repositoryPath}.`)
        const commit = repository.branches.get(request.branch)
        if (commit === undefined) return invalid(`There is no branch ${request.branch}.`)
        const name = request.remote ?? "origin"
        const remote = repository.remotes.get(name)
        if (remote === undefined) return Effect.fail(new Conflict({ message: `There is no remote "${name}".` }))
        const there = remote.branches.get(request.branch)
        const refusal = remote.refuses ?? (there === undefined || isAncestor(repository, there, commit)
          ? undefined
          : "its branch has commits that this one lacks")
        if (refusal !== undefined) return Effect.fail(new Conflict({ message: `The remote refused the branch: ${refusal}.` }))
        remote.branches.set(request.branch, commit)
        return Effect.succeed({ remote: name, commit })
      })
    )
})

const isAncestor = (repository: FakeRepository, ancestor: string, of: string): boolean => {
  for (let at: string | undefined = of; at !== undefined; at = repository.commits.get(at)?.parent) {
    if (at === ancestor) return true
  }
  return false
}
