import { HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { answering, ask, KEY, WIRES } from "../test/wire.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

/** Clients that have learnt nothing yet. */
const FRESH: Record<string, () => ReturnType<typeof anthropic>> = {
  anthropic: () => anthropic("claude-test", { apiKey: KEY }),
  openai: () => openai("gpt-test", { apiKey: KEY }),
  openrouter: () =>
    openaiCompatible({ name: "openrouter", baseURL: "https://openrouter.test/api/v1", apiKey: KEY })("m"),
};

/** As providers say it. */
const REFUSALS = [
  "This model does not support the effort parameter.",
  "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
  "Encrypted content is not supported with this model.",
  "Unrecognized request argument supplied: reasoning_effort",
  '"llama3.2" does not support thinking',
  "reasoning_effort: Extra inputs are not permitted",
];

describe.each(WIRES)("$name", (wire) => {
  const efforts = (requests: readonly { body: object }[]) =>
    requests.map(({ body }) => /"(?:effort|reasoning_effort)":"(\w+)"/.exec(JSON.stringify(body))?.[1]);

  test.each(REFUSALS)("leaves the effort out from then on where a model says: %s", async (message) => {
    const client = FRESH[wire.name]!();
    const requests = answering(server, wire, (nth) =>
      nth === 0
        ? HttpResponse.json(wire.error(message, { type: "invalid_request_error" }), { status: 400 })
        : wire.answer({ text: "Hi" }),
    );
    await expect(ask(client, { effort: "high" })).rejects.toMatchObject({ code: "EFFORT_REFUSED", retryable: true });
    for (const effort of ["high", "low"] as const) expect((await ask(client, { effort })).stop).toBe("end");
    expect(efforts(requests)).toEqual(["high", undefined, undefined]);
  });

  test.each([
    ["another refusal", "messages.1: Invalid `signature` in `thinking` block", { effort: "high" } as const],
    ["one of a request without effort", REFUSALS[0]!, {}],
  ])("%s is a bad request as ever, and the effort stays", async (_, message, asked) => {
    const client = FRESH[wire.name]!();
    const requests = answering(server, wire, (nth) =>
      nth === 0 ? HttpResponse.json(wire.error(message), { status: 400 }) : wire.answer({ text: "Hi" }),
    );
    await expect(ask(client, asked)).rejects.toMatchObject({ code: "BAD_REQUEST", retryable: false });
    await ask(client, { effort: "low" });
    expect(efforts(requests).at(-1)).toBe("low");
  });
});
