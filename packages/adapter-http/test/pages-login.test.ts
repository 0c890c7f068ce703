import { expect, it } from "vitest"
import { addPerson, makeBrowser } from "./support/browser.ts"
import { describeMatrix } from "./support/matrix.ts"

const password = "correct horse battery"

describeMatrix("sign-in page", (context) => {
  it("signs a person in, and out again", async () => {
    const browser = makeBrowser(context())
    await addPerson(context(), "ann@example.com", password)
    const first = await browser.get("/")
    expect([first.status, first.headers.get("location")]).toEqual([303, "/login"])
    const entered = await browser.login(" Ann@Example.com ", password)
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"])
    const home = await browser.get("/")
    expect([home.status, home.headers.get("location")]).toEqual([303, "/automations"])
  })
})
