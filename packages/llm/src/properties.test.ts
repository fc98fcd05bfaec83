import { Anthropic } from "@anthropic-ai/sdk";
import { type JsonObject, type LLMClient, LLMResponseSchema, ProviderError } from "@swarm/core";
import fc from "fast-check";
import { OpenAI } from "openai";
import { expect, test } from "vitest";
import { anthropicEvents, ask, chatWire, KEY, responsesEvents, type Sketch, sse } from "../test/wire.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";

/** A client whose every request gets this answer; through the SDK, but without a network, so that many fit in a second. */
function clients(reply: () => Response): Record<"anthropic" | "openai" | "chat", LLMClient> {
  const settings = { apiKey: KEY, fetch: async () => reply(), logLevel: "off" as const };
  const client = new OpenAI(settings);
  return {
    anthropic: anthropic("m", { client: new Anthropic(settings) }),
    openai: openai("m", { client }),
    chat: openaiCompatible({ name: "local", baseURL: "http://localhost/v1" })("m", { client }),
  };
}

/** Whatever was answered, a call ends in a valid response or in a provider error with a message. */
async function holds(client: LLMClient): Promise<void> {
  try {
    const response = await ask(client);
    expect(LLMResponseSchema.safeParse(response).success).toBe(true);
    expect(LLMResponseSchema.parse(JSON.parse(JSON.stringify(response)))).toEqual(response);
  } catch (error) {
    expect(error).toBeInstanceOf(ProviderError);
    expect((error as ProviderError).message).not.toBe("");
  }
}

const RUNS = { numRuns: 300 };
const status = fc.constantFrom(200, 200, 200, 400, 429, 500);
const sketch: fc.Arbitrary<Sketch> = fc.record({
  reasoning: fc.constant([{ type: "thinking", thinking: "Hm", signature: "s" }]),
  text: fc.string(),
  calls: fc.array(fc.record({ id: fc.string(), name: fc.string(), args: fc.oneof(fc.string(), fc.json()) }), {
    maxLength: 3,
  }),
  stop: fc.constantFrom("end", "tool", "length", "refusal", "filter"),
  usage: fc.oneof(
    fc.constant(null),
    fc.dictionary(fc.constantFrom("input_tokens", "output_tokens", "prompt_tokens"), fc.double()),
  ),
});
/** An answer in which one value, anywhere, is something else. */
const spoiled = fc.tuple(sketch, fc.nat(), fc.jsonValue());

function spoil(value: unknown, at: number, by: unknown): unknown {
  let left = at;
  const count = JSON.stringify(value).match(/[:,[]/g)?.length ?? 1;
  left %= count + 1;
  return JSON.parse(JSON.stringify(value), (_, inner) => (left-- === 0 ? by : inner));
}

test("any body, of any status, is survived", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.json()), status, fc.boolean(), async (body, status, isJson) => {
      const headers = { "content-type": isJson ? "application/json" : "text/event-stream" };
      const all = clients(
        () => new Response(isJson ? body : `event: message_start\ndata: ${body}\n\n`, { status, headers }),
      );
      for (const client of Object.values(all)) await holds(client);
    }),
    RUNS,
  );
});

test("an answer spoiled in one place is survived", async () => {
  await fc.assert(
    fc.asyncProperty(spoiled, async ([sketch, at, by]) => {
      const streamed = (events: JsonObject[]) => sse(spoil(events, at, by) as JsonObject[]);
      const whole = JSON.stringify(spoil(await chatWire.answer(sketch).json(), at, by));
      // An event that became no object still has to be written.
      const safe = (make: () => Response) => {
        try {
          return make();
        } catch {
          return new Response("");
        }
      };
      await holds(clients(() => safe(() => streamed(anthropicEvents(sketch)))).anthropic);
      await holds(clients(() => safe(() => streamed(responsesEvents(sketch)))).openai);
      await holds(clients(() => new Response(whole)).chat);
    }),
    RUNS,
  );
});

test("a text comes through as it was, however the stream cuts it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (text) => {
      const { parts } = await ask(clients(() => sse(anthropicEvents({ text }))).anthropic);
      expect(parts).toEqual([{ type: "text", text }]);
    }),
    RUNS,
  );
});
