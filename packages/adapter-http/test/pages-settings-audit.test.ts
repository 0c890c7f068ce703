import { audit, AuditAction, CallerAddress } from "@coppice/core"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { describeMatrix } from "./support/matrix.ts"
import { makeSettings, shown } from "./support/settings.ts"

const path = "/settings/audit"

describeMatrix("page of the audit log", (context) => {
  const at = () => makeSettings(context())

  it("says who did what to whom, when and from where, newest first", async () => {
    const { owner } = at()
    const { browser, user } = await owner("Olga")
    await context().runtime.runPromise(Effect.gen(function*() {
      const by = { organizationId: user.activeOrganizationId, userId: user.id }
      yield* audit(by, "member.invited", { name: "<b>bob@example.com</b>" })
      yield* audit({ organizationId: user.activeOrganizationId }, "grant.reuse_detected", { name: "Claude" })
      yield* audit({ organizationId: user.activeOrganizationId }, "user.sign_in_failed", { name: user.email })
    }).pipe(Effect.provideService(CallerAddress, "198.51.100.7")))
    const text = await shown(browser.get(path))
    expect(text).toMatch(new RegExp([
      `Somebody failed to sign in as ${user.email} 198\\.51\\.100\\.7`,
      "The service ended the connection of Claude because an old token of it was used again 198\\.51\\.100\\.7",
      "just now \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC olga-\\d+ invited <b>bob@example\\.com</b> 198\\.51\\.100\\.7",
      "olga-\\d+ signed in"
    ].join(".*")))
  })

  it("has a sentence for everything that is written down", async () => {
    const { owner } = at()
    const { browser, user } = await owner()
    const actions = AuditAction.literals
    await context().runtime.runPromise(Effect.forEach(actions, (action) =>
      audit({ organizationId: user.activeOrganizationId, userId: user.id }, action, { name: "subject" })))
    const rows = [...(await (await browser.get(path)).text()).matchAll(/<tr>.*?<\/tr>/gs)]
    expect(rows.length).toBeGreaterThan(actions.length)
    for (const [row] of rows.slice(1)) expect(row).toMatch(/data-label="What" class="text">[a-z][^<]+/)
  })

  it("comes in parts, and knows people who have left", async () => {
    const { colleague, owner } = at()
    const olga = await owner()
    const max = await colleague(olga, "member", "Max")
    await context().runtime.runPromise(Effect.forEach(Array.from({ length: 60 }), (_, number) =>
      audit({ organizationId: olga.user.activeOrganizationId, userId: max.user.id }, "api_key.created", { name: `number ${number}.` })))
    const first = await (await olga.browser.get(path)).text()
    expect([first.includes("number 59."), first.includes("number 9.")]).toEqual([true, false])
    const older = /href="([^"]*cursor=[^"]*)"/.exec(first)![1]!
    for (const [id, { userId }] of context().database.members) if (userId === max.user.id) context().database.members.delete(id)
    const second = await shown(olga.browser.get(older))
    expect(second).toContain("Max created the API key number 9.")
    expect(second).not.toContain("number 59.")
  })

  it("is for admins, and of their own organization", async () => {
    const { colleague, owner } = at()
    const olga = await owner()
    const [max, ada] = [await colleague(olga, "member", "Max"), await colleague(olga, "admin", "Ada")]
    const refused = await max.browser.get(path)
    expect([refused.status, (await shown(refused)).includes("signed in")]).toEqual([403, false])
    expect(await (await max.browser.get("/settings/keys")).text()).not.toContain(`href="${path}"`)
    expect(await shown(ada.browser.get(path))).toContain("Ada signed in")
    const stranger = await owner("Stan")
    expect(await shown(stranger.browser.get(path))).not.toContain("Ada")
  })
})
