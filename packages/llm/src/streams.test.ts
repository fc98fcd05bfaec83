import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type JsonObject, ProviderError } from "@swarm/core";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  answering,
  anthropicEvents,
  anthropicWire,
  ask,
  chatWire,
  KEY,
  responsesEvents,
  responsesWire,
  sse,
} from "../test/wire.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "bypass" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const CALL = { id: "call_a", name: "write_file", args: '{"path":"a.py"}' };
const STREAMS = [
  {
    wire: anthropicWire,
    events: anthropicEvents,
    overloaded: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  },
  {
    wire: responsesWire,
    events: responsesEvents,
    overloaded: { type: "error", code: "server_overloaded", message: "Overloaded", param: null },
  },
];

describe.each(STREAMS)("a stream of $wire.name", ({ wire, events, overloaded }) => {
  const upToDeltas = (all: JsonObject[]) =>
    all.slice(
      0,
      all.findLastIndex(({ type }) => String(type).endsWith("delta")),
    );

  test("that reports an error before the answer began is that error", async () => {
    answering(server, wire, () => sse([events({ text: "Hello" })[0]!, overloaded]));
    await expect(ask(wire.client)).rejects.toMatchObject({ code: "OVERLOADED", retryable: true });
  });

  test("that reports an error within the answer is interrupted, and not to be asked again blindly", async () => {
    const begun = upToDeltas(events({ text: "Hello, I will now" }));
    answering(server, wire, () => sse([...begun, overloaded]));
    const error = await ask(wire.client).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ code: "INTERRUPTED", retryable: false });
    expect((error as Error).message).toContain("Overloaded");
  });

  test("that ends without its last event is interrupted", async () => {
    for (const sketch of [{ text: "Hello, I will now" }, { calls: [CALL] }]) {
      const all = events(sketch);
      for (const length of [0, 1, all.length - 1]) {
        answering(server, wire, () => sse(all.slice(0, length)));
        await expect(ask(wire.client)).rejects.toMatchObject({ code: "INTERRUPTED", retryable: true });
      }
    }
  });
});

test("a response that the Responses API fails is its error, or interrupted once it had begun", async () => {
  const failed = {
    type: "response.failed",
    response: { status: "failed", output: [], error: { code: "rate_limit_exceeded", message: "Slow down" } },
  };
  answering(server, responsesWire, () => sse([failed]));
  await expect(ask(responsesWire.client)).rejects.toMatchObject({ code: "RATE_LIMITED", retryable: true });
  answering(server, responsesWire, () => sse([{ type: "response.output_text.delta", delta: "He" }, failed]));
  await expect(ask(responsesWire.client)).rejects.toMatchObject({ code: "INTERRUPTED", retryable: false });
});

test("a response that OpenAI's filter stops is final, and says so", async () => {
  for (const wire of [responsesWire, chatWire]) {
    const requests = answering(server, wire, () => wire.answer({ stop: "filter" }));
    const response = await ask(wire.client);
    expect(response.stop).toBe("filter");
    expect(JSON.stringify(response.parts)).toContain("content filter");
    expect(requests).toHaveLength(1);
  }
});

test("a message's phase goes back to the Responses API with its text", async () => {
  const message = (phase: string, text: string) => ({
    type: "message",
    id: "msg",
    role: "assistant",
    status: "completed",
    phase,
    content: [{ type: "output_text", text, annotations: [] }],
  });
  const output = [message("commentary", "Looking."), message("final_answer", "Found.")];
  const requests = answering(server, responsesWire, () =>
    sse([{ type: "response.completed", response: { status: "completed", output, usage: responsesWire.usage } }]),
  );
  const { parts } = await ask(responsesWire.client);
  await ask(responsesWire.client, { turns: [{ role: "assistant", parts }] });
  expect(requests[1]!.body["input"]).toEqual([
    { role: "assistant", content: "Looking.", phase: "commentary" },
    { role: "assistant", content: "Found.", phase: "final_answer" },
  ]);
});

describe("a socket that is destroyed", () => {
  let sends: string;
  const torn = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "transfer-encoding": "chunked" });
    response.write(sends, () => response.destroy());
  });
  beforeAll(() => new Promise<void>((done) => torn.listen(0, "127.0.0.1", done)));
  afterAll(() => new Promise((done) => torn.close(done)));
  const origin = () => `http://127.0.0.1:${(torn.address() as AddressInfo).port}`;
  const streaming = {
    anthropic: () => anthropic("m", { apiKey: KEY, baseURL: origin() }),
    openai: () => openai("m", { apiKey: KEY, baseURL: `${origin()}/v1` }),
  };

  test.each([
    ["anthropic", streaming.anthropic],
    ["openai", streaming.openai],
    ["a compatible server", () => openaiCompatible({ name: "local", baseURL: `${origin()}/v1` })("m")],
  ])("within the answer interrupts %s", async (_, make) => {
    sends = 'event: message_start\ndata: {"type":"message_start","message":{"usage":{}}}\n\n';
    await expect(ask(make())).rejects.toMatchObject({ code: "INTERRUPTED", retryable: true });
  });

  test.each(STREAMS)("after the last event leaves the answer of $wire.name whole", async ({ wire, events }) => {
    sends = await sse(events({ text: "Hello" })).text();
    const client = streaming[wire.name as keyof typeof streaming]();
    await expect(ask(client)).resolves.toMatchObject({ stop: "end", parts: [{ text: "Hello" }] });
  });
});

test("a server that is not there is named by its cause", async () => {
  const gone = createServer();
  await new Promise<void>((done) => gone.listen(0, "127.0.0.1", done));
  const { port } = gone.address() as AddressInfo;
  await new Promise((done) => gone.close(done));
  const client = openaiCompatible({ name: "local", baseURL: `http://127.0.0.1:${port}/v1` })("m");
  const error = await ask(client).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "UNREACHABLE", retryable: true });
  expect((error as Error).message).toContain("ECONNREFUSED");
});
