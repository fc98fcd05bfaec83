import { Anthropic } from "@anthropic-ai/sdk";
import { type LLMClient, LLMResponseSchema, ProviderError } from "@swarm/core";
import fc from "fast-check";
import { OpenAI } from "openai";
import { expect, test } from "vitest";
import { anthropicEvents, ask, KEY, sse } from "../test/wire.ts";
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

test("a text comes through as it was, however the stream cuts it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (text) => {
      const { parts } = await ask(clients(() => sse(anthropicEvents({ text }))).anthropic);
      expect(parts).toEqual([{ type: "text", text }]);
    }),
    RUNS,
  );
});
