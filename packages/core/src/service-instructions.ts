/** What an MCP client tells its model about the service as a whole: how its tools go together, in one screen. */
export const serviceInstructions = `Coppice runs coding agents in parallel, each in a Git worktree of its own.

What there is, and how it hangs together:
- A host is a machine where agents run; agents_list says which ones can run where.
- A project is a Git repository on a host (projects_list, projects_create).
- A workspace is a worktree of a project with a branch of its own. workspaces_create answers when it is ready to be worked
  in, which takes as long as the project's set-up. workspaces_diff shows what was changed in it, workspaces_push pushes it,
  workspaces_delete takes it away; work that would be lost is refused unless you force it.
- A task is what is to be done (tasks_list, tasks_create), with one of the organization's statuses; a workspace can be for one.
- An automation is a prompt for an agent on a project. Each firing is a run: a person or a webhook starts one, and
  automations_run does. A run goes from queued to succeeded, failed or cancelled. runs_wait waits for that, runs_events
  shows what happened and what the agent printed, runs_retry runs the same payload again.

To have something done: find the project, create an automation (automations_create), start it with automations_run, wait
with runs_wait, and look at the result with workspaces_diff on the run's workspaceId.

The same can be read by address, as a resource: coppice://runs/{runId}, its /transcript and its /payload, and
coppice://workspaces/{workspaceId}/diff.

How to call:
- Where an id is asked for, a unique name serves too.
- Lists give a page; pass nextCursor on as cursor for the next one.
- What changes something takes an idempotencyKey: repeat a call whose answer you lost with the same key.
- A failed call has isError and an error with a code, a message and often a hint; do what the hint says.
- What deletes or cancels asks the person first, where your client can. If they decline, do not try again unasked.
- A call that waits reports progress if you send a progressToken, and stops when you cancel it.
- Webhook tokens and API keys never pass through a tool: an operator makes them.`
