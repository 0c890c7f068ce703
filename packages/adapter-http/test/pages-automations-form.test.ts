import { createProject, getAutomation, registerHost, MachineId } from "@coppice/core"
import { AutomationStore } from "@coppice/core/ports"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { makePlace, type Place } from "./support/automation-world.ts"
import { describeMatrix } from "./support/matrix.ts"

const fieldsOf = ({ project }: Pick<Place, "project">) => ({
  name: "Nightly",
  prompt: "Review\r\nit.",
  projectId: project.id,
  agent: "reviewer",
  workspaceMode: "fresh",
  workspaceId: "",
  timeout: "90",
  timeoutUnit: "60",
  maxConcurrentRuns: "",
  maxAttempts: "2"
})

const automationsOf = ({ as, organizationId }: Place) =>
  as(Effect.flatMap(AutomationStore, (store) => store.list(organizationId, {}, {}))).then(({ items }) => items)

/** The faults that a page shows, by field. */
const faultsIn = (html: string) =>
  Object.fromEntries([...html.matchAll(/<p class="fault" id="(\w+)-fault">([^<]*)<\/p>/g)].map(([, field, text]) => [field, text]))

describeMatrix("the form of an automation", (context) => {
  it("creates an automation with what was typed", async () => {
    const place = await makePlace(context())
    const { status, location } = await place.send("/automations/new", "/automations/new", fieldsOf(place))
    const [automation] = await automationsOf(place)
    expect([status, location]).toEqual([303, `/automations/${automation!.id}?notice=created`])
    expect(automation).toMatchObject({
      name: "Nightly",
      prompt: "Review\nit.",
      projectId: place.project.id,
      agent: "reviewer",
      status: "active",
      workspaceMode: "fresh",
      timeoutSeconds: 5400,
      maxAttempts: 2,
      ownerId: place.user.id
    })
    expect(automation).not.toHaveProperty("maxConcurrentRuns")
    expect((await place.page(location!)).html).toContain("The automation is created.")
  })

  it("begins with sensible values, and offers the agents that can be used and no others", async () => {
    const { host, page } = await makePlace(context())
    host.script("missing", () => Effect.succeed({ exitCode: 0 }), { name: "Missing", unavailableReason: "Its program is not there." })
    const { html } = await page("/automations/new")
    expect(html).toMatch(/name="timeout"[^>]* value="60"|value="60"[^>]* name="timeout"/)
    expect(html).toContain("<option value=\"60\" selected>minutes</option>")
    expect(html).toContain("<option value=\"reviewer\" selected>Reviewer</option>")
    expect(html).not.toContain("<option value=\"missing\"")
    expect(html).toContain("Not available now. Missing: Its program is not there.")
    host.script("missing", () => Effect.succeed({ exitCode: 0 }))
  })

  it("says at each field what is wrong with it, and keeps what was typed", async () => {
    const place = await makePlace(context())
    const { html, status } = await place.send("/automations/new", "/automations/new", {
      ...fieldsOf(place),
      name: "",
      prompt: "  ",
      agent: "nobody",
      workspaceMode: "reuse",
      workspaceId: "0199a000-0000-7000-8000-000000000001",
      timeout: "700000",
      timeoutUnit: "1",
      maxConcurrentRuns: "0",
      maxAttempts: "eleven"
    })
    expect(status).toBe(400)
    expect(faultsIn(html)).toEqual({
      name: "Enter a name of 1 to 100 characters.",
      prompt: "Enter what the agent is to do.",
      agent: expect.stringMatching(/^The host has no agent &quot;nobody&quot;\. It has: reviewer/),
      workspaceId: "That workspace is not there any more.",
      timeout: "Enter a whole number, of a week at the most.",
      maxConcurrentRuns: "Enter a whole number from 1 to 1000, or nothing.",
      maxAttempts: "Enter a whole number from 1 to 10."
    })
    expect(html).toContain("value=\"700000\"")
    expect(html).toContain("value=\"eleven\"")
    expect(html).toMatch(/value="reuse" checked/)
    expect(await automationsOf(place)).toEqual([])
  })

  it("says when the name is taken, and keeps the prompt, its first empty line included", async () => {
    const place = await makePlace(context())
    await place.automate()
    const { html, status } = await place.send("/automations/new", "/automations/new", { ...fieldsOf(place), prompt: "\n  A long prompt" })
    expect(status).toBe(400)
    expect(faultsIn(html)["name"]).toContain("is taken")
    expect(html).toContain(">\n\n  A long prompt</textarea>")
  })

  it("takes the longest prompt there is, and no longer one", async () => {
    const place = await makePlace(context())
    const longest = "語".repeat(100_000)
    expect((await place.send("/automations/new", "/automations/new", { ...fieldsOf(place), prompt: longest })).status).toBe(303)
    expect((await automationsOf(place))[0]!.prompt).toBe(longest)
    const { html, status } = await place.send("/automations/new", "/automations/new", { ...fieldsOf(place), name: "B", prompt: `${longest}語` })
    expect([status, faultsIn(html)["prompt"]]).toEqual([400, "Enter at most 100,000 characters, and no zero characters."])
  })

  it("takes no project and no workspace of another organization", async () => {
    const theirs = await makePlace(context())
    const place = await makePlace(context())
    const { html, status } = await place.send("/automations/new", "/automations/new", { ...fieldsOf(theirs) })
    expect([status, faultsIn(html)]).toEqual([400, { projectId: "Choose a project." }])
    expect((await place.page("/automations/new")).html).not.toContain(theirs.project.id)
  })

  it("shares a workspace of the project, and asks for none where each run has its own", async () => {
    const place = await makePlace(context())
    place.host.addRepository("/code/other")
    const other = await place.as(createProject({ name: `Other of ${place.user.name}`, repositoryPath: "/code/other" }))
    const [mine, elsewhere] = [await place.workspaceOf(place.project, "mine"), await place.workspaceOf(other, "elsewhere")]
    const send = (fields: object) => place.send("/automations/new", "/automations/new", { ...fieldsOf(place), ...fields })
    const refused = await send({ workspaceMode: "reuse", workspaceId: elsewhere.id })
    expect([refused.status, faultsIn(refused.html)]).toEqual([400, { workspaceId: "That workspace belongs to another project." }])
    expect((await send({ name: "Fresh", workspaceId: mine.id })).status).toBe(303)
    expect((await send({ name: "Shared", workspaceMode: "reuse", workspaceId: mine.id })).status).toBe(303)
    expect((await send({ name: "First", workspaceMode: "reuse" })).status).toBe(303)
    expect((await automationsOf(place)).map(({ name, workspaceId, workspaceMode }) => [name, workspaceMode, workspaceId])).toEqual([
      ["First", "reuse", undefined],
      ["Shared", "reuse", mine.id],
      ["Fresh", "fresh", undefined]
    ])
    const [, shared] = await automationsOf(place)
    expect((await place.page(`/automations/${shared!.id}`)).html).toContain("coppice/mine")
    const edit = `/automations/${shared!.id}/edit`
    expect((await place.page(edit)).html).toContain(`<option value="${mine.id}" selected>mine</option>`)
    await place.send(edit, edit, { ...fieldsOf(place), name: "Shared", workspaceMode: "reuse" })
    expect((await place.as(getAutomation(shared!.id)))).not.toHaveProperty("workspaceId")
  })

  it("changes an automation, and takes its cap away", async () => {
    const place = await makePlace(context())
    const automation = await place.automate({ maxConcurrentRuns: 3, timeoutSeconds: 7200 })
    const path = `/automations/${automation.id}/edit`
    const { html } = await place.page(path)
    expect(html).toContain("<option value=\"3600\" selected>hours</option>")
    expect(html).not.toContain("name=\"projectId\"")
    const sent = await place.send(path, path, { ...fieldsOf(place), name: "Weekly", projectId: "nonsense", timeout: "5", maxAttempts: "4" })
    expect([sent.status, sent.location]).toEqual([303, `/automations/${automation.id}?notice=changed`])
    const changed = await place.as(getAutomation(automation.id))
    expect(changed).toMatchObject({ name: "Weekly", timeoutSeconds: 300, maxAttempts: 4, projectId: place.project.id })
    expect(changed).not.toHaveProperty("maxConcurrentRuns")
    const refused = await place.send(path, path, { ...fieldsOf(place), name: "x".repeat(101) })
    expect([refused.status, faultsIn(refused.html)["name"]]).toEqual([400, "Enter a name of 1 to 100 characters."])
    expect((await place.as(getAutomation(automation.id))).name).toBe("Weekly")
  })

  it("changes an automation whose host is away, as long as its agent stays the same", async () => {
    const place = await makePlace(context())
    const machineId = MachineId.make("0199a000-0000-7000-8000-0000000000aa")
    const { id } = await place.automate()
    await place.as(registerHost(place.organizationId, { machineId, name: "away", platform: "linux-x64", agents: ["remote"], maxConcurrentRuns: 1 }))
    place.host.setOnline(false)
    try {
      const path = `/automations/${id}/edit`
      expect((await place.send(path, path, { ...fieldsOf(place), name: "Renamed" })).status).toBe(303)
      const { html, status } = await place.send(path, path, { ...fieldsOf(place), agent: "other" })
      expect([status, faultsIn(html)["agent"]]).toEqual([400, "The host is offline."])
    } finally {
      place.host.setOnline(true)
    }
    expect((await place.as(getAutomation(id))).name).toBe("Renamed")
  })

  it("refuses a form without its token, and one that another site sends", async () => {
    const place = await makePlace(context())
    const { id } = await place.automate()
    for (const path of ["/automations/new", `/automations/${id}/edit`]) {
      const bare = await place.browser.post(path, { ...fieldsOf(place), name: "Forged" })
      const foreign = await place.browser.submit(path, path, { ...fieldsOf(place), name: "Forged" }, { origin: "https://evil.example" })
      expect([bare.status, foreign.status]).toEqual([403, 403])
    }
    expect((await automationsOf(place)).map(({ name }) => name)).toEqual(["Nightly"])
  })

  it("offers all projects of the organization", async () => {
    const place = await makePlace(context())
    place.host.addRepository("/code/second")
    const second = await place.as(createProject({ name: `Second of ${place.user.name}`, repositoryPath: "/code/second" }))
    const { html } = await place.page("/automations/new")
    for (const { id } of [place.project, second]) expect(html).toContain(`<option value="${id}"`)
  })
})
