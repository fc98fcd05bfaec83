import type { JsonObject, Part } from "@swarm/core";
import { HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { answering, ask, chatWire } from "../test/wire.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

function completing(choice: JsonObject, rest: JsonObject = {}) {
  return answering(server, chatWire, () => HttpResponse.json({ choices: [choice], usage: chatWire.usage, ...rest }));
}
const call = (id: string | null, args: unknown = "{}") => ({
  id,
  type: "function",
  function: { name: "look", arguments: args as string },
});

test("an error in the body of a 200 is the error that its code says", async () => {
  answering(server, chatWire, () => HttpResponse.json({ error: { code: 429, message: "Upstream is busy" } }));
  await expect(ask(chatWire.client)).rejects.toMatchObject({ code: "RATE_LIMITED", status: 429, retryable: true });
});

test("an error on the choice is that error, or interrupted where an answer had begun", async () => {
  const error = { code: 502, message: "Upstream died" };
  completing({ finish_reason: "error", message: { role: "assistant", content: "" }, error });
  await expect(ask(chatWire.client)).rejects.toMatchObject({ code: "SERVER_ERROR", status: 502 });
  completing({ finish_reason: "error", message: { role: "assistant", content: "Hel" }, error });
  await expect(ask(chatWire.client)).rejects.toMatchObject({ code: "INTERRUPTED", retryable: false });
});

test("tool calls are calls though the server says stop", async () => {
  completing({ finish_reason: "stop", message: { role: "assistant", content: "", tool_calls: [call("a")] } });
  expect(await ask(chatWire.client)).toMatchObject({ stop: "tool", parts: [{ type: "tool", id: "a" }] });
});

test("calls without ids, or with one id twice, can be told apart", async () => {
  const calls = [call(""), call(null), call("x"), call("x")];
  completing({ finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls: calls } });
  const { parts } = await ask(chatWire.client);
  const ids = parts.flatMap((part) => (part.type === "tool" ? [part.id] : []));
  expect(new Set(ids).size).toBe(4);
  expect(ids).not.toContain("");
});

test("arguments that come as an object are taken as one", async () => {
  const calls = [call("a", { path: "a.py" }), call("b", null)];
  completing({ finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls: calls } });
  expect((await ask(chatWire.client)).parts).toMatchObject([{ args: { path: "a.py" } }, { args: {} }]);
});

test("reasoning text and the signatures on calls go back where they were", async () => {
  const signed = { ...call("a"), extra_content: { google: { thought_signature: "c2ln" } } };
  const message = {
    role: "assistant",
    content: "Hm.",
    reasoning_content: "Let me see.",
    tool_calls: [call("b"), signed],
  };
  const requests = completing({ finish_reason: "tool_calls", message });
  const { parts } = await ask(chatWire.client);
  await ask(chatWire.client, { turns: [{ role: "assistant", parts: JSON.parse(JSON.stringify(parts)) as Part[] }] });
  expect(requests[1]!.body["messages"]).toMatchObject([
    { role: "system" },
    message,
    { role: "tool" },
    { role: "tool" },
  ]);
  expect(JSON.stringify(requests[1]!.body).match(/extra_content/g)).toHaveLength(1);
});

test("a text in pieces is one text", async () => {
  const content = [{ type: "text", text: "Hel" }, { type: "thinking" }, { type: "text", text: "lo" }];
  completing({ finish_reason: "stop", message: { role: "assistant", content } });
  expect((await ask(chatWire.client)).parts).toEqual([{ type: "text", text: "Hello" }]);
});

test("reasoning that a server leaves out of the completion's tokens is counted as output", async () => {
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 530 };
  completing({ finish_reason: "stop", message: { role: "assistant", content: "Hi" } }, { usage });
  expect((await ask(chatWire.client)).tokens).toMatchObject({ input: 20, output: 510 });
});

test.each([
  { why: "an optional property", properties: { a: { type: "string" } }, required: [] },
  { why: "an unsupported keyword", properties: { a: { type: "string", minLength: 1 } }, required: ["a"] },
  { why: "an open object within", properties: { a: { type: "array", items: { type: "object" } } }, required: ["a"] },
  { why: "anything at all", properties: { a: {} }, required: ["a"] },
])("a schema with $why is not asked for strictly", async ({ properties, required }) => {
  const requests = completing({ finish_reason: "stop", message: { role: "assistant", content: "{}" } });
  await ask(chatWire.client, { output: { type: "object", properties, required, additionalProperties: false } });
  expect(requests[0]!.body["response_format"]).toMatchObject({ json_schema: { strict: false } });
});
