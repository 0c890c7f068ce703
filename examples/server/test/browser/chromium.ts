import { existsSync } from "node:fs"
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { afterAll, describe, onTestFinished } from "vitest"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]
const given = process.env["CHROMIUM_PATH"]
const executablePath = given !== undefined && given !== "" ? given : places.find(existsSync)

const howTo = "No Chromium was found, and these tests need a real one: apt-get install chromium (Debian), "
  + "brew install --cask chromium (macOS), or set CHROMIUM_PATH to one that is there."

let running: Promise<Browser> | undefined

/** Chromium's own sandbox needs what containers do not give; the pages are ours. */
const launch = (): Promise<Browser> => running ??= chromium.launch({ executablePath: executablePath!, args: ["--no-sandbox", "--disable-gpu"] })

/** Tests in a real browser. Where there is none they are skipped out loud, which CI does not accept. */
export const describeInChromium = (title: string, tests: () => void): void => {
  if (executablePath === undefined) process.stderr.write(`${howTo}\n`)
  describe.skipIf(executablePath === undefined)(title, () => {
    afterAll(async () => {
      const browser = await running
      running = undefined
      await browser?.close()
    })
    tests()
  })
}

/** A browser of a person's own: no cookie is in it. What it complains of is collected. */
export const newPerson = async (options: BrowserContextOptions = {}): Promise<{ context: BrowserContext; page: Page; complaints: Array<string> }> => {
  const context = await (await launch()).newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(String(error)))
  return { context, page, complaints }
}
