import { hostContract } from "./host-fixture.ts"
import { createTests } from "./worktrees/create.ts"
import { lookTests } from "./worktrees/look.ts"
import { removeTests } from "./worktrees/remove.ts"

export const worktreesContract = hostContract("Worktrees", () => [...createTests, ...lookTests, ...removeTests])
