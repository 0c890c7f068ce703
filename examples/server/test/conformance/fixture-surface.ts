// What the suite asks a test server to have, as an embedder of the HTTP adapter gives it: tools, resources and prompts.
import {
  AskPerson,
  type Content,
  InvalidRequest,
  type JsonObject,
  type Prompt,
  type Question,
  type Resource,
  type Tool,
  ToolProgress
} from "@coppice/core"
import { Effect, Stream } from "effect"

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

const image: Content = { type: "image", data: pixel, mimeType: "image/png" }
const text = (text: string): Content => ({ type: "text", text })
const embedded = (uri: string, mimeType: string, text: string): Content => ({ type: "resource", resource: { uri, mimeType, text } })

const tool = (name: string, call: Tool["call"], more: Partial<Tool> = {}): Tool => ({
  name,
  title: name,
  description: `The suite's ${name}.`,
  toolset: "conformance",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: { type: "object", properties: {} },
  outputSchema: { type: "object" },
  call,
  ...more
})

const shows = (name: string, ...content: ReadonlyArray<Content>): Tool =>
  tool(name, () => Effect.succeed({}), { show: () => content })

/** Asks the person, and answers what they say. */
const asks = (name: string, questionOf: (args: JsonObject) => Question): Tool =>
  tool(name, (args) =>
    Effect.gen(function*() {
      const answer = yield* (yield* AskPerson)(questionOf((args ?? {}) as JsonObject))
      if (answer === undefined) return yield* new InvalidRequest({ message: "Nobody can be asked." })
      return { ...answer }
    }))

const form = (properties: Record<string, object>, required: ReadonlyArray<string> = []) => ({ type: "object", properties, required }) as const

const word = { type: "string" }

const titled = ["First", "Second", "Third"].map((title, place) => ({ const: `value${place + 1}`, title: `${title} Option` }))

const userName = { name: "user_name", message: "What is your name?", form: form({ name: word }, ["name"]) } satisfies Question

export const tools: ReadonlyArray<Tool> = [
  shows("test_simple_text", text("This is a simple text response for testing.")),
  shows("test_image_content", image),
  shows("test_audio_content", { type: "audio", data: silence, mimeType: "audio/wav" }),
  shows("test_embedded_resource", embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  shows(
    "test_multiple_content_types",
    text("Multiple content types test:"),
    image,
    embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)
  ),
  tool("test_error_handling", () => new InvalidRequest({ message: "This tool intentionally returns an error for testing" })),
  tool("test_tool_with_progress", () =>
    Effect.gen(function*() {
      const report = yield* ToolProgress
      for (const progress of [0, 50, 100]) yield* report({ progress, total: 100 })
      return {}
    })),
  asks("test_elicitation", ({ message }) => ({
    message: String(message),
    form: form({ username: word, email: word }, ["username", "email"])
  })),
  asks("test_elicitation_sep1034_defaults", () => ({
    message: "Please review.",
    form: form({
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true }
    })
  })),
  asks("test_elicitation_sep1330_enums", () => ({
    message: "Please choose.",
    form: form({
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: { type: "array", items: { anyOf: titled } }
    })
  })),
  asks("test_input_required_result_elicitation", () => userName),
  asks("test_streaming_elicitation", () => userName),
  shows("test_logging_tool", text("Done.")),
  tool("json_schema_2020_12_tool", () => Effect.succeed({}), {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: word, city: word } } },
      properties: {
        name: word,
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: word,
        email: word
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema has that word.
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false
    }
  })
]

const resource = (uri: string, mimeType: string, read: Resource["read"], more: Partial<Resource> = {}): Resource => ({
  uri,
  name: uri,
  title: uri,
  description: `The suite's ${uri}.`,
  mimeType,
  read,
  ...more
})

export const resources: ReadonlyArray<Resource> = [
  resource("test://static-text", "text/plain", () => Effect.succeed("This is the content of the static text resource.")),
  resource("test://static-binary", "image/png", () => Effect.succeed(Buffer.from(pixel, "base64"))),
  resource("test://template/{id}/data", "application/json", ({ id }) =>
    Effect.succeed(JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }))),
  resource("test://watched-resource", "text/plain", () => Effect.succeed("Watched."), {
    watch: { revision: () => Effect.succeed({ revision: "1", final: false }), changes: Stream.empty }
  })
]

const prompt = (name: string, args: ReadonlyArray<string>, get: (args: { readonly [name: string]: string }) => ReadonlyArray<Content>): Prompt => ({
  name,
  title: name,
  description: `The suite's ${name}.`,
  arguments: args.map((name) => ({ name, description: name, required: true })),
  get: (args) => Effect.succeed(get(args).map((content) => ({ role: "user", content })))
})

export const prompts: ReadonlyArray<Prompt> = [
  prompt("test_simple_prompt", [], () => [text("This is a simple prompt for testing.")]),
  prompt("test_prompt_with_arguments", ["arg1", "arg2"], ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)
  ]),
  prompt("test_prompt_with_embedded_resource", ["resourceUri"], ({ resourceUri }) => [
    embedded(resourceUri!, "text/plain", "Embedded resource content for testing."),
    text("Please process the embedded resource above.")
  ]),
  prompt("test_prompt_with_image", [], () => [image, text("Please analyze the image above.")]),
  {
    ...prompt("test_input_required_result_prompt", [], () => []),
    get: () =>
      Effect.gen(function*() {
        const answer = yield* (yield* AskPerson)({ message: "In what context?", form: form({ context: word }) })
        return [{ role: "user", content: text(`The answer was: ${answer?.action ?? "none"}`) }]
      })
  }
]
