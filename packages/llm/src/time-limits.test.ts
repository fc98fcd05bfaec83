import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Anthropic } from "@anthropic-ai/sdk";
import { OpenAI } from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { anthropicEvents, ask, KEY, responsesEvents, sse } from "../test/wire.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";

type Limits = { idleMs?: number; timeoutMs?: number };
/** What the SDKs take as a fetch, and what a test answers with. */
type Fetch = () => Promise<Response>;

const settings = (fetch: Fetch) => ({ apiKey: KEY, fetch });
const local = openaiCompatible({ name: "local", baseURL: "http://localhost/v1" });
const STREAMING = [
  {
    name: "anthropic",
    make: (limits: Limits, fetch: Fetch) => anthropic("m", { client: new Anthropic(settings(fetch)), ...limits }),
    events: anthropicEvents({ text: "Hello" }),
  },
  {
    name: "openai",
    make: (limits: Limits, fetch: Fetch) => openai("m", { client: new OpenAI(settings(fetch)), ...limits }),
    events: responsesEvents({ text: "Hello" }),
  },
];
const ALL = [
  ...STREAMING,
  {
    name: "local",
    make: (limits: Limits, fetch: Fetch) => local("m", { client: new OpenAI(settings(fetch)), ...limits }),
  },
];
const bytes = (text: string) => new TextEncoder().encode(text);
const PING = bytes('event: ping\ndata: {"type":"ping"}\n\n');
const eventStream = (body: ReadableStream<Uint8Array>) =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });
/** A response that begins and never goes on. */
const begun = () => eventStream(new ReadableStream({ start: (stream) => stream.enqueue(PING) }));
const never = () => new Promise<never>(() => {});

describe("over HTTP", () => {
  /** Whether the server goes on to say that it is there, and whether it knows that nobody listens any more. */
  let lively: boolean;
  let left: Promise<void>;
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(PING);
    const pulse = setInterval(() => lively && response.write(PING), 5);
    left = new Promise((resolve) => {
      response.on("close", () => {
        clearInterval(pulse);
        resolve();
      });
    });
  });
  let origin: string;
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((done) => server.close(done)));

  const made = (limits: Limits) => ({
    anthropic: anthropic("m", { apiKey: KEY, baseURL: origin, ...limits }),
    openai: openai("m", { apiKey: KEY, baseURL: origin, ...limits }),
    local: openaiCompatible({ name: "local", baseURL: origin })("m", limits),
  });

  test.each(["anthropic", "openai"] as const)("a stream of %s that falls silent has timed out", async (name) => {
    lively = false;
    const fault = ask(made({ idleMs: 50 })[name]);
    await expect(fault).rejects.toMatchObject({ code: "TIMEOUT", retryable: true, status: null });
    await expect(fault).rejects.toThrow("silent for 50 ms");
    await left;
  });

  test.each(["anthropic", "openai", "local"] as const)("an answer of %s without an end has timed out", async (name) => {
    lively = true;
    const fault = ask(made({ timeoutMs: 100 })[name]);
    await expect(fault).rejects.toMatchObject({ code: "TIMEOUT", retryable: true, status: null });
    await expect(fault).rejects.toThrow("not whole within 100 ms");
    await left;
  });
});

describe("by the clock", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  /** How a call has ended, or "pending". */
  function watch(call: Promise<unknown>) {
    let state = "pending";
    call.then(
      () => (state = "answered"),
      (error) => (state = error.code ?? error.message),
    );
    return () => state;
  }

  test.each(STREAMING)("any byte from $name is a sign of life", async ({ make, events }) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const stream = writable.getWriter();
    const state = watch(ask(make({ idleMs: 1000, timeoutMs: 60_000 }, async () => eventStream(readable))));
    for (let n = 0; n < 10; n++) {
      await vi.advanceTimersByTimeAsync(900);
      void stream.write(PING);
    }
    expect(state()).toBe("pending");
    void stream.write(bytes(await sse(events).text()));
    void stream.close();
    await vi.waitFor(() => expect(state()).toBe("answered"));
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(STREAMING)("two minutes of silence of $name are the limit", async ({ make }) => {
    const state = watch(ask(make({}, async () => begun())));
    await vi.advanceTimersByTimeAsync(119_999);
    expect(state()).toBe("pending");
    await vi.advanceTimersByTimeAsync(1);
    expect(state()).toBe("TIMEOUT");
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each(STREAMING)(
    "silence of $name counts from the request on, though nothing hears the abort",
    async ({ make }) => {
      const state = watch(ask(make({ idleMs: 1000 }, never)));
      await vi.advanceTimersByTimeAsync(999);
      expect(state()).toBe("pending");
      await vi.advanceTimersByTimeAsync(1);
      expect(state()).toBe("TIMEOUT");
    },
  );

  test.each(ALL)("ten minutes of $name are the limit", async ({ make }) => {
    const state = watch(ask(make({ idleMs: 2_000_000 }, never)));
    await vi.advanceTimersByTimeAsync(599_999);
    expect(state()).toBe("pending");
    await vi.advanceTimersByTimeAsync(1);
    expect(state()).toBe("TIMEOUT");
  });

  test.each(ALL)("an abort of a call to $name stays the caller's reason", async ({ make }) => {
    const controller = new AbortController();
    const state = watch(ask(make({}, never), {}, controller.signal));
    controller.abort(new Error("stop"));
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(state()).toBe("stop");
    expect(vi.getTimerCount()).toBe(0);
  });
});

test.each([
  ["idleMs", { idleMs: 0 }],
  ["idleMs", { idleMs: Number.POSITIVE_INFINITY }],
  ["timeoutMs", { timeoutMs: 1.5 }],
  ["timeoutMs", { timeoutMs: 2 ** 31 }],
])("refuses a wrong %s: %j", (field, limits) => {
  expect(() => anthropic("m", limits)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", field }));
});
