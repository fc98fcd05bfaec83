import { Anthropic } from "@anthropic-ai/sdk";
import { type JsonObject, type LLMClient, type LLMRequest, LLMResponseSchema, ProviderError } from "@swarm/core";
import fc from "fast-check";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { OpenAI } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anthropicEvents, ask, chatWire, KEY, responsesEvents, type Sketch, WIRES } from "../test/wire.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";

/** Well over what any of these answers needs, and well under a test's time: a call that hangs ends here, and is told. */
const HANGS_MS = 5000;
/** How many answers of each of the three wire formats go through the SDK, and how many of them over HTTP as well. */
const DIRECT = 3300;
const OVER_HTTP = 100;

const words = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "\udfff\ud800",
    "\u202e\u200b",
    "👩‍👩‍👧‍👦",
    "__proto__",
    "data: x\n\n",
    "\r\n\r\nevent: error",
  ),
);
const huge = fc.nat({ max: 60_000 }).map((length) => 'x{"[\\'.repeat(length / 4));
const content = fc.oneof({ arbitrary: words, weight: 50 }, { arbitrary: huge, weight: 1 });
const brokenJson = fc.tuple(fc.json(), fc.nat()).map(([json, at]) => json.slice(0, at % (json.length + 1)));
const deep = fc.nat({ max: 400 }).map((depth) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`);
const args = fc.oneof(
  fc.json(),
  brokenJson,
  content,
  deep,
  fc.constantFrom("", "null", "[]", "1e999", '{"__proto__":1}'),
);
/** Few of them, so that they repeat. */
const id = fc.oneof(fc.constantFrom("", "call_a", "call_a", "call_b"), words);
const counts = fc.dictionary(
  fc.constantFrom("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "total_tokens"),
  fc.oneof(fc.double(), fc.integer(), fc.constant(null), words),
);
const sketch: fc.Arbitrary<Sketch> = fc.record(
  {
    reasoning: fc.array(
      fc.record({
        type: fc.constantFrom("thinking", "redacted_thinking", "reasoning"),
        thinking: words,
        signature: words,
      }),
      { maxLength: 2 },
    ),
    text: content,
    calls: fc.array(fc.record({ id, name: fc.oneof(fc.constantFrom("read_file", "no_such_tool"), words), args }), {
      maxLength: 4,
    }),
    stop: fc.constantFrom("end", "tool", "length", "refusal", "filter"),
    reason: words,
    usage: fc.option(counts),
  },
  { requiredKeys: [] },
);

type Damage = { kind: "none" | "value" | "cut" | "byte" | "repeat"; at: number; by: unknown };
const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("none", "value", "value", "value", "cut", "byte", "repeat"),
  at: fc.nat(),
  by: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, [], {}, -1, 1e308, true, "")),
});

/** Another value in the place of the one at `at`, counted through the whole of `value`. */
function withValue(value: unknown, at: number, by: unknown): unknown {
  let left = at % ((JSON.stringify(value).match(/[:,[]/g)?.length ?? 0) + 1);
  return JSON.parse(JSON.stringify(value), (_, inner) => (left-- === 0 ? by : inner));
}

/** The text of an answer, damaged after it was written. */
function damaged(text: string, { kind, at, by }: Damage): string {
  const place = at % (text.length + 1);
  if (kind === "cut") return text.slice(0, place);
  if (kind === "byte") return text.slice(0, place) + JSON.stringify(by) + text.slice(place + 1);
  if (kind === "repeat") return text + text.slice(place);
  return text;
}

function streamed(events: JsonObject[], harm: Damage): string {
  const harmed = harm.kind === "value" ? withValue(events, harm.at, harm.by) : events;
  const text = [harmed].flat().map((event) => `event: ${nameOf(event)}\ndata: ${JSON.stringify(event)}\n\n`);
  return damaged(text.join(""), harm);
}

function nameOf(event: unknown): string {
  const type = (event as JsonObject | null)?.["type"];
  return typeof type === "string" ? type : JSON.stringify(type);
}

const FORMATS = [
  {
    name: "anthropic",
    type: "text/event-stream",
    body: async (sketch: Sketch, harm: Damage) => streamed(anthropicEvents(sketch), harm),
    client: (fetch: () => Promise<Response>) =>
      anthropic("m", { client: new Anthropic({ ...SDK, fetch }), timeoutMs: HANGS_MS }),
  },
  {
    name: "openai",
    type: "text/event-stream",
    body: async (sketch: Sketch, harm: Damage) => streamed(responsesEvents(sketch), harm),
    client: (fetch: () => Promise<Response>) =>
      openai("m", { client: new OpenAI({ ...SDK, fetch }), timeoutMs: HANGS_MS }),
  },
  {
    name: "openrouter",
    type: "application/json",
    async body(sketch: Sketch, harm: Damage) {
      const answer: unknown = await chatWire.answer(sketch).json();
      return damaged(JSON.stringify(harm.kind === "value" ? withValue(answer, harm.at, harm.by) : answer), harm);
    },
    client: (fetch: () => Promise<Response>) =>
      openaiCompatible({ name: "local", baseURL: "http://localhost/v1" })("m", {
        client: new OpenAI({ ...SDK, fetch }),
        timeoutMs: HANGS_MS,
      }),
  },
];
const SDK = { apiKey: KEY, logLevel: "off" as const };
const REQUEST: Partial<LLMRequest> = {
  tools: [{ name: "read_file", description: "Reads.", input: { type: "object", properties: {} } }],
};

/** Asserts that an answer becomes a valid response or a provider error, in time; says which. */
async function survives(client: LLMClient): Promise<"response" | "fault"> {
  try {
    const response = await ask(client, REQUEST);
    const { error } = LLMResponseSchema.safeParse(response);
    expect(error).toBeUndefined();
    return "response";
  } catch (error) {
    expect(error).toBeInstanceOf(ProviderError);
    const { code, message } = error as ProviderError;
    expect(code).not.toBe("TIMEOUT");
    expect(message.length).toBeLessThan(2000);
    return "fault";
  }
}

test.each(FORMATS)(
  `${DIRECT} answers in the form of $name are answers or provider errors`,
  async ({ type, body, client }) => {
    const ended = { response: 0, fault: 0 };
    let answer = "";
    const asked = client(async () => new Response(answer, { headers: { "content-type": type } }));
    await fc.assert(
      fc.asyncProperty(sketch, damage, async (sketch, harm) => {
        answer = await body(sketch, harm);
        ended[await survives(asked)]++;
      }),
      { numRuns: DIRECT },
    );
    // Neither is rare, so that both were put to the test.
    expect(ended.response).toBeGreaterThan(DIRECT / 10);
    expect(ended.fault).toBeGreaterThan(DIRECT / 10);
  },
);

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterAll(() => server.close());

test.each(FORMATS)(`${OVER_HTTP} of them also over HTTP: $name`, async ({ name, type, body }) => {
  const wire = WIRES.find((one) => one.name === name)!;
  let answer = "";
  server.use(http.post(wire.url, () => new HttpResponse(answer, { headers: { "content-type": type } })));
  await fc.assert(
    fc.asyncProperty(sketch, damage, async (sketch, harm) => {
      answer = await body(sketch, harm);
      await survives(wire.client);
    }),
    { numRuns: OVER_HTTP },
  );
});
