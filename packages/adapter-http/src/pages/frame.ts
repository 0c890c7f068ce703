import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Visit } from "../pipeline/browser.ts"

/** What every part of a page may need to know of the browser that it is for. */
export interface Frame {
  readonly visit: Visit | undefined
  /** The page's own path, by which the navigation knows where one is. */
  readonly path: string
  /** The same with its query: where to come back to. */
  readonly location: string
  readonly nowMillis: number
}

/** For a page that is shown to who knows whom. */
export const nowhere: Frame = { visit: undefined, path: "", location: "", nowMillis: 0 }

export const FrameContext = createContext<Frame>(nowhere)

export const useFrame = (): Frame => useContext(FrameContext)
