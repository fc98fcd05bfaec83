import { type LLMRequest, LLMResponseSchema, type Part, type Turn } from "@swarm/core";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { answering, anthropicWire, ask, chatWire, KEY, responsesWire, WIRES } from "../test/wire.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const user = (...parts: Part[]): Turn => ({ role: "user", parts });
const assistant = (...parts: Part[]): Turn => ({ role: "assistant", parts });
const text = (content: string): Part => ({ type: "text", text: content });

const READ = { id: "call_a", name: "read_file", args: '{"path":"a.py"}' };
const LIST = { id: "call_b", name: "list_dir", args: "{}" };

describe.each(WIRES)("$name", (wire) => {
  const reply = (sketch: Parameters<typeof wire.answer>[0]) => answering(server, wire, () => wire.answer(sketch));

  test("gives text as it is", async () => {
    reply({ text: 'Hello, "wörld" 👋\n' });
    const response = await ask(wire.client);
    expect(response).toEqual({
      parts: [text('Hello, "wörld" 👋\n')],
      stop: "end",
      tokens: { input: 100, output: 40, reasoning: 10, cacheRead: 20, cacheWrite: 30 },
    });
  });

  test("gives parallel tool calls in order", async () => {
    reply({ text: "Looking.", calls: [READ, LIST], stop: "tool" });
    const response = await ask(wire.client);
    expect(response.stop).toBe("tool");
    expect(response.parts).toEqual([
      text("Looking."),
      { type: "tool", id: "call_a", tool: "read_file", args: { path: "a.py" } },
      { type: "tool", id: "call_b", tool: "list_dir", args: {} },
    ]);
  });

  test("sends calls and results back in call order, and says which failed", async () => {
    const requests = reply({ text: "Done." });
    await ask(wire.client, {
      turns: [
        user(text("Go")),
        assistant(
          { type: "tool", id: "call_a", tool: "read_file", args: { path: "a.py" } },
          { type: "tool", id: "call_b", tool: "list_dir", args: {} },
        ),
        user(
          text("And hurry."),
          { type: "result", id: "call_b", ok: false, output: "no such folder" },
          { type: "result", id: "call_a", ok: true, output: "x = 1" },
        ),
      ],
    });
    const { calls, results } = wire.exchanged(requests[0]!.body);
    expect(calls).toEqual([
      { id: "call_a", args: { path: "a.py" } },
      { id: "call_b", args: {} },
    ]);
    expect(results.map(({ id }) => id)).toEqual(["call_a", "call_b"]);
    expect(results[0]!.text).toBe("x = 1");
    expect(results[1]!.text).toContain("no such folder");
    expect(JSON.stringify(requests[0]!.body)).toMatch(/"is_error":true|Error: no such folder/);
  });

  test("gives a call without a result an error result, and leaves out a result without its call", async () => {
    const requests = reply({ text: "Done." });
    await ask(wire.client, {
      turns: [
        user(text("Go")),
        assistant(
          { type: "tool", id: "call_a", tool: "read_file", args: {} },
          { type: "tool", id: "call_b", tool: "list_dir", args: {} },
        ),
        user(
          { type: "result", id: "call_a", ok: true, output: "x" },
          { type: "result", id: "gone", ok: true, output: "y" },
        ),
        assistant({ type: "tool", id: "call_c", tool: "list_dir", args: {} }),
      ],
    });
    const { results } = wire.exchanged(requests[0]!.body);
    expect(results.map(({ id }) => id)).toEqual(["call_a", "call_b", "call_c"]);
    expect(results[1]!.text).toContain("interrupted");
  });

  test("takes the results of one turn from turns that follow one another", async () => {
    const requests = reply({ text: "Done." });
    await ask(wire.client, {
      turns: [
        user(text("Go")),
        assistant({ type: "tool", id: "call_a", tool: "read_file", args: {} }),
        assistant({ type: "tool", id: "call_b", tool: "list_dir", args: {} }),
        user({ type: "result", id: "call_a", ok: true, output: "x" }),
        user({ type: "result", id: "call_b", ok: true, output: "y" }),
      ],
    });
    expect(wire.exchanged(requests[0]!.body).results).toEqual([
      { id: "call_a", text: "x" },
      { id: "call_b", text: "y" },
    ]);
  });

  test("sends reasoning back byte for byte and in its place, also after a JSON round trip", async () => {
    const blocks = {
      anthropic: [
        { type: "thinking", thinking: "First é,\n then.", signature: "c2lnLTE=" },
        { type: "thinking", thinking: "", signature: "c2lnLTI=" },
        { type: "redacted_thinking", data: "ZW5jcnlwdGVk" },
      ],
      openai: [
        { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "ZW5j+/=", status: "completed" },
        { id: "rs_2", type: "reasoning", summary: [{ type: "summary_text", text: "é" }], encrypted_content: "eA==" },
      ],
      openrouter: [
        { type: "reasoning.text", text: "First é", signature: "c2ln", index: 0 },
        { type: "reasoning.encrypted", data: "ZW5j", id: "r1", index: 1 },
      ],
    }[wire.name]!;
    const requests = answering(server, wire, (n) =>
      n === 0 ? wire.answer({ reasoning: blocks, calls: [READ], stop: "tool" }) : wire.answer({ text: "Done." }),
    );
    const first = await ask(wire.client);
    expect(first.parts[0]).toMatchObject({ type: "reasoning", provider: wire.name });
    expect(first.parts.at(-1)).toMatchObject({ type: "tool" });
    const turn = assistant(...(JSON.parse(JSON.stringify(first.parts)) as Part[]));
    await ask(wire.client, {
      turns: [user(text("Go")), turn, user({ type: "result", id: READ.id, ok: true, output: "" })],
    });
    expect(JSON.stringify(wire.echoed(requests[1]!.body))).toBe(JSON.stringify(blocks));
  });

  test("leaves out the reasoning of another provider", async () => {
    const requests = reply({ text: "Done." });
    await ask(wire.client, {
      turns: [
        user(text("Go")),
        assistant({ type: "reasoning", provider: "other", data: { type: "thinking", secret: "foreign" } }, text("Hm.")),
        user(text("On")),
      ],
    });
    expect(JSON.stringify(requests[0]!.body)).not.toContain("foreign");
    expect(JSON.stringify(requests[0]!.body)).toContain("Hm.");
  });

  test.each([
    { why: "single quotes", args: "{'a': 1}" },
    { why: "a list", args: "[1]" },
    { why: "a text", args: '"{}"' },
    { why: "a number out of range", args: '{"a":1e999}' },
  ])("gives a bad call among good ones as malformed: $why", async ({ args }) => {
    reply({ calls: [READ, { id: "call_x", name: "edit", args }, LIST], stop: "tool" });
    const response = await ask(wire.client);
    expect(response.stop).toBe("tool");
    expect(response.parts.map(({ type }) => type)).toEqual(["tool", "malformed", "tool"]);
    expect(response.parts[1]).toMatchObject({ id: "call_x", tool: "edit", text: args });
  });

  test("sends a malformed call back without its broken arguments, paired with its result", async () => {
    const requests = reply({ text: "Sorry." });
    await ask(wire.client, {
      turns: [
        user(text("Go")),
        assistant({ type: "malformed", id: "call_x", tool: "edit", text: '{"path":"a.py","con', problem: "cut off" }),
        user({ type: "result", id: "call_x", ok: false, output: "the arguments were cut off" }),
      ],
    });
    const { calls, results } = wire.exchanged(requests[0]!.body);
    expect(calls).toEqual([{ id: "call_x", args: {} }]);
    expect(results).toHaveLength(1);
    expect(JSON.stringify(requests[0]!.body)).not.toContain("a.py");
  });

  test.each(["", "  ", "null"])("takes %j for no arguments", async (args) => {
    reply({ calls: [{ ...LIST, args }], stop: "tool" });
    expect((await ask(wire.client)).parts).toEqual([{ type: "tool", id: "call_b", tool: "list_dir", args: {} }]);
  });

  test.each(['{"path":"a.py","content":"x', ""])(
    "does not give out a call that the token limit cut: %j",
    async (args) => {
      reply({ calls: [READ, { id: "call_x", name: "write", args }], stop: "length" });
      const response = await ask(wire.client);
      expect(response.stop).toBe("length");
      expect(response.parts.map(({ type }) => type)).toEqual(["tool", "malformed"]);
    },
  );

  test("takes a broken call at the token limit for one that was cut, though the provider calls it whole", async () => {
    reply({ calls: [{ id: "call_x", name: "write", args: '{"content":"x' }], stop: "tool" });
    const response = await ask(wire.client, { maxTokens: 40 });
    expect(response.stop).toBe("length");
    expect(response.parts).toHaveLength(1);
    expect(response.parts[0]).toMatchObject({ type: "malformed" });
  });

  test("keeps what there is of a text that the token limit cut", async () => {
    reply({ text: "Half an ans", stop: "length" });
    expect(await ask(wire.client)).toMatchObject({ stop: "length", parts: [text("Half an ans")] });
  });

  test("keeps the reason of a refusal, in one request", async () => {
    const requests = reply({ stop: "refusal", reason: "This is about weapons." });
    expect(await ask(wire.client)).toMatchObject({ stop: "refusal", parts: [text("This is about weapons.")] });
    expect(requests).toHaveLength(1);
  });

  test.each([
    { why: "missing", usage: null },
    { why: "empty", usage: {} },
    { why: "negative", usage: { input_tokens: -1, output_tokens: 5, prompt_tokens: -1, completion_tokens: 5 } },
    { why: "negative output", usage: { input_tokens: 5, output_tokens: -5, prompt_tokens: 5, completion_tokens: -5 } },
    { why: "null", usage: { input_tokens: null, output_tokens: null, prompt_tokens: null, completion_tokens: null } },
    {
      why: "zero",
      usage: { input_tokens: 0, output_tokens: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    },
  ])("does not know the tokens where the usage is $why", async ({ usage }) => {
    reply({ text: "Hi", usage });
    expect(await ask(wire.client)).toMatchObject({ tokens: null, parts: [text("Hi")] });
  });

  test("takes null and missing details of the usage for none", async () => {
    const usage = { input_tokens: 5, output_tokens: 6, prompt_tokens: 5, completion_tokens: 6 };
    reply({ text: "Hi", usage: { ...usage, cache_read_input_tokens: null, input_tokens_details: null } });
    const tokens = { input: 5, output: 6, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    expect((await ask(wire.client)).tokens).toEqual(tokens);
  });

  test("authenticates with the key that was passed, and shows it in nothing that it gives", async () => {
    const requests = reply({ text: "Hi" });
    const response = await ask(wire.client);
    expect(requests[0]!.headers.get("authorization")).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(response)).not.toContain(KEY);
    expect(LLMResponseSchema.safeParse(response).success).toBe(true);
  });

  test("has the id of its model, and passes its preflight without a request", async () => {
    expect(wire.client.id).toMatch(new RegExp(`^${wire.name}:[a-z]+-test$`));
    await expect(wire.client.preflight?.()).resolves.toBeUndefined();
  });
});

describe("the request body", () => {
  const request: Partial<LLMRequest> = {
    tools: [{ name: "list_dir", description: "Lists.", input: { type: "object", properties: {} } }],
    output: {
      type: "object",
      properties: { n: { type: "integer", minimum: 1 } },
      required: ["n"],
      additionalProperties: false,
    },
    effort: "high",
    temperature: 0.2,
    maxTokens: 32_000,
  };

  test("of the Messages API", async () => {
    const cache_control = { type: "ephemeral" };
    const requests = answering(server, anthropicWire, () => anthropicWire.answer({ text: "Hi" }));
    await ask(anthropicWire.client, request);
    await ask(anthropicWire.client, { system: "" });
    expect(requests[0]!.body).toEqual({
      model: "claude-test",
      max_tokens: 32_000,
      stream: true,
      system: [{ type: "text", text: "Be brief.", cache_control }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      tools: [
        { name: "list_dir", description: "Lists.", input_schema: { type: "object", properties: {} }, cache_control },
      ],
      cache_control,
      output_config: {
        effort: "high",
        format: {
          type: "json_schema",
          schema: {
            type: "object",
            // A bound that the API would refuse is told the model in words.
            properties: { n: { type: "integer", description: "{minimum: 1}" } },
            required: ["n"],
            additionalProperties: false,
          },
        },
      },
      temperature: 0.2,
    });
    expect(Object.keys(requests[1]!.body).sort()).toEqual(["max_tokens", "messages", "model", "stream"]);
  });

  test("of the Responses API", async () => {
    const requests = answering(server, responsesWire, () => responsesWire.answer({ text: "Hi" }));
    await ask(responsesWire.client, request);
    await ask(responsesWire.client, { system: "" });
    expect(requests[0]!.body).toEqual({
      model: "gpt-test",
      max_output_tokens: 32_000,
      stream: true,
      store: false,
      instructions: "Be brief.",
      input: [{ role: "user", content: "Hello" }],
      tools: [
        {
          type: "function",
          name: "list_dir",
          description: "Lists.",
          parameters: { type: "object", properties: {} },
          strict: false,
        },
      ],
      reasoning: { effort: "high" },
      include: ["reasoning.encrypted_content"],
      text: { format: { type: "json_schema", name: "answer", schema: request.output, strict: true } },
      temperature: 0.2,
    });
    expect(Object.keys(requests[1]!.body).sort()).toEqual(["input", "max_output_tokens", "model", "store", "stream"]);
  });

  test("of Chat Completions", async () => {
    const requests = answering(server, chatWire, () => chatWire.answer({ text: "Hi" }));
    await ask(chatWire.client, request);
    await ask(chatWire.client, { system: "" });
    expect(requests[0]!.body).toEqual({
      model: "qwen-test",
      max_tokens: 32_000,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "list_dir", description: "Lists.", parameters: { type: "object", properties: {} } },
        },
      ],
      reasoning_effort: "high",
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: request.output, strict: true } },
      temperature: 0.2,
    });
    expect(Object.keys(requests[1]!.body).sort()).toEqual(["max_tokens", "messages", "model"]);
  });
});

test("the Messages API is sent nothing that it refuses: blank texts, foreign ids, errors without content", async () => {
  const requests = answering(server, anthropicWire, () => anthropicWire.answer({ text: "Hi" }));
  await ask(anthropicWire.client, {
    turns: [
      user(text("Go")),
      assistant(text(" \n"), { type: "tool", id: "functions.read:0", tool: "read_file", args: {} }),
      user({ type: "result", id: "functions.read:0", ok: false, output: "" }),
      assistant(text("")),
      user(text("On")),
    ],
  });
  expect(requests[0]!.body["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "Go" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "functions_read_0", name: "read_file", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "functions_read_0", content: "failed without output", is_error: true },
      ],
    },
    { role: "user", content: [{ type: "text", text: "On" }] },
  ]);
});
