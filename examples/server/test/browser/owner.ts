import type { Page } from "playwright-core"
import { expect } from "vitest"
import { coppice } from "../../src/demo/child.ts"
import { environmentOf, scratchForTest, serverForTest } from "../service.ts"

const email = "ann@example.com"
export const password = "correct horse battery"

const begin = async () => {
  const scratch = await scratchForTest()
  const env = { ...environmentOf(scratch), COPPICE_ADMIN_EMAIL: email, COPPICE_ADMIN_PASSWORD: password }
  return { env, scratch, url: (await serverForTest(env)).url }
}

/** The address of a service whose first owner the environment named. */
export const serviceWithOwner = async () => (await begin()).url

export const serviceWithProject = async () => {
  const { env, scratch, url } = await begin()
  expect((await coppice(env, ["projects", "add", scratch.repository])).code).toBe(0)
  return url
}

export const signIn = async (page: Page) => {
  await page.fill("main [name=email]", email)
  await page.fill("main [name=password]", password)
  await page.click("main button")
}

/** Opens the address that a client sends its user to, signs in where asked, and allows what is asked for by that name. */
export const allow = async (page: Page, address: string, name: string) => {
  await page.goto(address)
  if (new URL(page.url()).pathname === "/login") await signIn(page)
  expect(new URL(page.url()).pathname).toBe("/consent")
  expect(await page.textContent(".client")).toBe(`${name} unverified`)
  const redirect = new URL(new URL(address).searchParams.get("redirect_uri")!)
  expect(await page.textContent(".host")).toBe(redirect.host)
  expect(await page.textContent("main")).toContain("runs on this computer")
  await page.getByRole("button", { name: "Allow" }).click()
  await page.waitForURL(`${redirect}?**`)
}

/** Ends in the settings what the only program that is connected may do. */
export const revoke = async (page: Page, base: string, name: string) => {
  await page.goto(`${base}/settings/connections`)
  await page.getByRole("link", { name: `Revoke ${name}` }).click()
  await page.getByRole("button", { name: "Revoke access" }).click()
  expect(await page.getByRole("status").innerText()).toContain("The connection is revoked.")
}
