import {
  type CallSite,
  type LLMRequest,
  type LLMResponse,
  LLMResponseSchema,
  type ModelId,
  ProviderError,
} from "@swarm/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { chaosModel } from "./index.ts";

const request: LLMRequest = {
  model: "m" satisfies ModelId,
  system: "You write code.",
  turns: [{ role: "user", parts: [{ type: "text", text: "Files: greet.py, tests/test_greet.py" }] }],
  tools: [
    {
      name: "write_file",
      description: "Writes a file.",
      input: {
        type: "object",
        properties: { path: { type: "string" }, content: { type: "string" } },
        required: ["path", "content"],
      },
    },
    {
      name: "run",
      description: "Runs a command.",
      input: {
        type: "object",
        properties: { argv: { type: "array", items: { type: "string" } }, timeoutSeconds: { type: "integer" } },
        required: ["argv"],
      },
    },
  ],
  maxTokens: 1000,
  cacheable: false,
};
const output = {
  type: "object",
  properties: {
    steps: {
      type: "array",
      items: {
        type: "object",
        properties: { title: { type: "string" }, done: { type: "boolean" }, size: { enum: ["s", "m"] } },
        required: ["title"],
      },
    },
  },
  required: ["steps"],
};

type Played = LLMResponse | ProviderError;
async function play(seed: number, at: CallSite, asked: LLMRequest = request): Promise<Played> {
  try {
    return await chaosModel(seed).complete(asked, { signal: new AbortController().signal, at });
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

const sites: fc.Arbitrary<CallSite> = fc.record({
  stepId: fc.constantFrom("run/plan", "run/implement", "run/implement.2"),
  role: fc.constantFrom("planner", "coder", "reviewer"),
  attempt: fc.nat(3),
  nth: fc.nat(9),
});

test("every answer keeps to the contract, whatever is asked", async () => {
  const asked = fc.constantFrom<LLMRequest>(request, { ...request, output }, { ...request, tools: [], turns: [] });
  await fc.assert(
    fc.asyncProperty(fc.integer(), sites, asked, async (seed, at, toAsk) => {
      const played = await play(seed, at, toAsk);
      if (!(played instanceof ProviderError)) expect(LLMResponseSchema.safeParse(played).error).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test("the same seed and place give the same answer, from any instance and after any other call", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), sites, sites, async (seed, at, other) => {
      const model = chaosModel(seed);
      const { signal } = new AbortController();
      await model.complete(request, { signal, at: other }).catch(() => null);
      const here = await model.complete(request, { signal, at }).catch((error: unknown) => error);
      expect(here).toEqual(await play(seed, at));
    }),
  );
});

test("another seed is another run", async () => {
  const at: CallSite = { stepId: "run/implement", role: "coder", attempt: 0, nth: 0 };
  const played = await Promise.all(Array.from({ length: 50 }, (_, seed) => play(seed, at)));
  expect(new Set(played.map((one) => JSON.stringify(one))).size).toBeGreaterThan(20);
});

const known = new Set(request.tools.map(({ name }) => name));
const features: Record<string, (played: Played) => boolean> = {
  "a call that is right": callsWhere((args, tool) => tool === "write_file" && args["path"] === "greet.py"),
  "an unknown tool": callsWhere((_, tool) => !known.has(tool)),
  "arguments of the wrong type": callsWhere((args) => args["path"] === 7),
  "a path out of the workspace": callsWhere((args) => String(args["path"]).includes("..")),
  "huge arguments": callsWhere((args) => String(args["content"]).length > 10_000),
  "a malformed call": answers(({ parts }) => parts.some(({ type }) => type === "malformed")),
  "an id given twice": answers(({ parts }) => {
    const ids = parts.flatMap((part) => (part.type === "tool" ? [part.id] : []));
    return new Set(ids).size < ids.length;
  }),
  "a huge text": answers(({ parts }) => parts.some((part) => part.type === "text" && part.text.length > 100_000)),
  "a result from the model": answers(({ parts }) => parts[0]?.type === "result"),
  "calls that stop as an end": answers(
    ({ parts, stop }) => stop === "end" && parts.some(({ type }) => type === "tool"),
  ),
  "no calls that stop as a tool": answers(
    ({ parts, stop }) => stop === "tool" && parts[0]?.type === "text" && !parts[1],
  ),
  nothing: answers(({ parts }) => parts.length === 0),
  "a refusal": answers(({ stop }) => stop === "refusal"),
  "a filtered answer": answers(({ stop }) => stop === "filter"),
  "a cut answer": answers(({ stop }) => stop === "length"),
  "half a character": answers(({ parts }) => parts.some((part) => part.type === "text" && !part.text.isWellFormed())),
  "reasoning of another provider": answers(({ parts }) => parts.some(({ type }) => type === "reasoning")),
  "tokens that were not said": answers(({ tokens }) => tokens === null),
  "a transient fault": (played) => played instanceof ProviderError && played.retryable,
  "a permanent fault": (played) => played instanceof ProviderError && !played.retryable,
};

const runs = await Promise.all(
  Array.from({ length: 1500 }, (_, seed) =>
    play(seed, { stepId: "run/implement", role: "coder", attempt: 0, nth: seed % 10 }),
  ),
);

test.each(Object.entries(features))("plays %s", (_name, has) => {
  expect(runs.some(has)).toBe(true);
});

test("more than a third of the answers are of use, so that runs get somewhere", () => {
  const useful = runs.filter(callsWhere((_, tool) => known.has(tool)));
  expect(useful.length).toBeGreaterThan(runs.length / 3);
});

test("structured output is sometimes right and sometimes damaged", async () => {
  const at: CallSite = { stepId: "run/plan", role: "planner", attempt: 0, nth: 0 };
  const played = await Promise.all(
    Array.from({ length: 300 }, (_, seed) => play(seed, at, { ...request, tools: [], output })),
  );
  const texts = played.flatMap((one) =>
    one instanceof ProviderError ? [] : one.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  const right = texts.filter((text) => {
    try {
      return (JSON.parse(text) as { steps?: { title?: unknown }[] } | null)?.steps?.every(
        ({ title }) => typeof title === "string",
      );
    } catch {
      return false;
    }
  });
  expect(right.length).toBeGreaterThan(10);
  expect(texts.some((text) => text.startsWith("```json\n"))).toBe(true);
  expect(texts.some((text) => text.startsWith('{"steps"') && !right.includes(text))).toBe(true);
});

test("an aborted signal is answered with its reason", async () => {
  const reason = new Error("enough");
  const at: CallSite = { stepId: "run/plan", role: "planner", attempt: 0, nth: 0 };
  const call = chaosModel(1).complete(request, { signal: AbortSignal.abort(reason), at });
  await expect(call).rejects.toBe(reason);
});

function answers(has: (response: LLMResponse) => boolean): (played: Played) => boolean {
  return (played) => !(played instanceof ProviderError) && has(played);
}

function callsWhere(has: (args: Record<string, unknown>, tool: string) => boolean): (played: Played) => boolean {
  return answers(({ parts }) => parts.some((part) => part.type === "tool" && has(part.args, part.tool)));
}
