import { Effect, Option, Schema } from "effect"
import { notFound } from "../error.ts"
import { WorkspaceId } from "../id.ts"
import { defineResource } from "../resource/resource.ts"
import { diffWorkspace } from "./workspace-usecases.ts"

const decodeId = Schema.decodeOption(WorkspaceId)

// Git reads a patch up to the first line that is none of it, so that what comes after the last one is a remark.
const cut = "The patch is cut here; the rest is in the workspace. workspaces_diff names every file.\n"

export const workspaceDiffResource = defineResource({
  uri: "coppice://workspaces/{workspaceId}/diff",
  name: "workspace-diff",
  title: "Diff of a workspace",
  description: "What differs from the commit that a workspace started at, as a patch, untracked files included.",
  mimeType: "text/x-diff",
  // By its id alone: a name may come to mean another workspace.
  read: ({ workspaceId }) =>
    Option.isNone(decodeId(workspaceId)) ? notFound("workspace", workspaceId) : Effect.map(
      diffWorkspace(workspaceId, "patch"),
      ({ patch, truncated }) => truncated ? `${patch ?? ""}${cut}` : patch ?? ""
    )
})
