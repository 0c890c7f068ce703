import { Effect } from "effect"
import { seeOther } from "../reply.ts"
import { defineView } from "./define-page.ts"

export const homePages = [
  defineView({
    path: "/",
    security: "browser",
    summary: "The way in",
    handle: () => Effect.succeed(seeOther("/automations"))
  })
]
