import { BranchName } from "@coppice/core"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"

const isBranchName = Schema.is(BranchName)

// The rules of git-check-ref-format(1), and those of `git branch` on top of them.
describe("a branch name", () => {
  it("is what Git accepts", () => {
    const names = ["main", "feature/one", "release/1.x", "a@b", "@home", "Übung", "x".repeat(200), "a-b_c.d", "coppice/a-1", "{", "a{b}"]
    assert.deepStrictEqual(names.filter((name) => !isBranchName(name)), [])
  })

  it("is nothing that Git refuses, or would take for an option or another ref", () => {
    const names = [
      "",
      "HEAD",
      "@",
      "-f",
      "--force",
      "/a",
      "a/",
      "a//b",
      ".a",
      "a/.b",
      "a.",
      "a..b",
      "a.lock",
      "a.lock/b",
      "a@{1}",
      "a b",
      "a~1",
      "a^",
      "a:b",
      "a?",
      "a*",
      "a[0]",
      "a\\b",
      "a\tb",
      "a\nb",
      "a\u0000b",
      "a\u007fb",
      "refs/heads/main",
      "x".repeat(201)
    ]
    assert.deepStrictEqual(names.filter((name) => isBranchName(name)), [])
  })
})
