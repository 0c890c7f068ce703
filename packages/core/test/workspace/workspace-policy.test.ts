import { BranchName, branchFor } from "@coppice/core"
import { it } from "@effect/vitest"
import { Schema } from "effect"
import { assert, describe } from "vitest"

const id = "0198c5a0-1111-7222-8333-44445f3f9a21"
const isBranchName = Schema.is(BranchName)

describe("branchFor", () => {
  it("makes words of a name, with the end of the id", () => {
    assert.strictEqual(branchFor("Fix the login!", id), "coppice/fix-the-login-3f9a21")
    assert.strictEqual(branchFor("Größe ändern", id), "coppice/gro-e-a-ndern-3f9a21")
  })

  it("has a word for a name without letters", () => {
    assert.strictEqual(branchFor("…", id), "coppice/workspace-3f9a21")
    assert.strictEqual(branchFor("修正", id), "coppice/workspace-3f9a21")
  })

  it.prop("makes a branch name that Git accepts, of any name", [Schema.String], ([name]) => {
    const branch = branchFor(name, id)
    assert.isTrue(isBranchName(branch), branch)
    assert.match(branch, /^coppice\/[a-z0-9]+(?:-[a-z0-9]+)*-3f9a21$/)
    assert.isAtMost(branch.length, 60)
  })
})
