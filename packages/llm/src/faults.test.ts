import { ProviderError } from "@swarm/core";
import { HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { OpenAI } from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { answering, ask, KEY, WIRES } from "../test/wire.ts";
import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => {
  server.resetHandlers();
  vi.unstubAllEnvs();
});
afterAll(() => server.close());

async function faultOf(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.then(
    () => expect.fail("the call succeeded"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

describe.each(WIRES)("$name", (wire) => {
  test.each([
    { status: 400, code: "BAD_REQUEST", retryable: false },
    { status: 401, code: "AUTHENTICATION", retryable: false },
    { status: 402, code: "QUOTA", retryable: false },
    { status: 403, code: "PERMISSION", retryable: false },
    { status: 404, code: "NOT_FOUND", retryable: false },
    { status: 408, code: "TIMEOUT", retryable: true },
    { status: 409, code: "BAD_REQUEST", retryable: false },
    { status: 413, code: "CONTEXT_TOO_LONG", retryable: false },
    { status: 422, code: "BAD_REQUEST", retryable: false },
    { status: 429, code: "RATE_LIMITED", retryable: true },
    { status: 500, code: "SERVER_ERROR", retryable: true },
    { status: 502, code: "SERVER_ERROR", retryable: true },
    { status: 503, code: "OVERLOADED", retryable: true },
    { status: 504, code: "TIMEOUT", retryable: true },
    { status: 529, code: "OVERLOADED", retryable: true },
  ])("$status is $code, after one request", async ({ status, ...expected }) => {
    const requests = answering(server, wire, () => HttpResponse.json(wire.error("It is so."), { status }));
    const error = await faultOf(ask(wire.client));
    expect(error).toMatchObject({ ...expected, status, retryAfterMs: null });
    expect(error.message).toContain("It is so.");
    expect(error.message).toContain(wire.client.id);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["prompt is too long: 250000 tokens > 200000 maximum", {}],
    ["This model's maximum context length is 8192 tokens", {}],
    ["Your input exceeds the context window of this model.", { code: "context_length_exceeded" }],
  ])("tells a thread that is too long from other bad requests: %s", async (message, names) => {
    answering(server, wire, () => HttpResponse.json(wire.error(message, names), { status: 400 }));
    expect(await faultOf(ask(wire.client))).toMatchObject({ code: "CONTEXT_TOO_LONG", retryable: false });
  });

  test.each(["insufficient_quota", "enforced_spend_limit_reached"])("does not wait for money: %s", async (code) => {
    answering(server, wire, () => HttpResponse.json(wire.error("Pay.", { code }), { status: 429 }));
    expect(await faultOf(ask(wire.client))).toMatchObject({ code: "QUOTA", retryable: false });
  });

  test.each([
    { headers: { "retry-after-ms": "300" }, wait: 300 },
    { headers: { "retry-after-ms": "300", "retry-after": "7" }, wait: 300 },
    { headers: { "retry-after": "7" }, wait: 7000 },
    { headers: { "retry-after": "0.5" }, wait: 500 },
    { headers: { "retry-after": "11180000" }, wait: 11_180_000_000 },
    {
      headers: { "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" },
      wait: 30_000,
    },
    { headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, wait: null },
    { headers: { "retry-after": "-5" }, wait: null },
    { headers: { "retry-after": "soon" }, wait: null },
    { headers: { "retry-after": "wait 2999" }, wait: null },
    { headers: { "retry-after": "²" }, wait: null },
    { headers: { "retry-after": "" }, wait: null },
    { headers: { "retry-after-ms": "NaN", "retry-after": "2" }, wait: 2000 },
  ])("reads how long to wait from $headers", async ({ headers, wait }) => {
    answering(server, wire, () => HttpResponse.json(wire.error("Slow down."), { status: 429, headers }));
    expect((await faultOf(ask(wire.client))).retryAfterMs).toBe(wait);
  });

  test("believes a provider that says that another try is no use", async () => {
    const headers = { "x-should-retry": "false" };
    answering(server, wire, () => HttpResponse.json(wire.error("No."), { status: 500, headers }));
    expect((await faultOf(ask(wire.client))).retryable).toBe(false);
  });

  test.each([
    ["an HTML page", `<html>${"x".repeat(100_000)}</html>`],
    ["nothing", ""],
  ])("takes an error whose body is %s", async (_, body) => {
    answering(server, wire, () => new HttpResponse(body, { status: 502 }));
    const error = await faultOf(ask(wire.client));
    expect(error).toMatchObject({ code: "SERVER_ERROR", status: 502 });
    expect(error.message.length).toBeLessThan(2000);
  });

  test("never shows a key that a provider repeats", async () => {
    const message = `Incorrect API key: ${KEY}, or sk-abcdefgh12345678, or Bearer abc.def`;
    answering(server, wire, () => HttpResponse.json(wire.error(message), { status: 401 }));
    const error = await faultOf(ask(wire.client));
    expect(error.message).toContain("Incorrect API key");
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(new RegExp(`${KEY}|sk-abc|abc\\.def`));
  });

  test("says that a connection was lost", async () => {
    answering(server, wire, () => HttpResponse.error());
    expect(await faultOf(ask(wire.client))).toMatchObject({ code: "CONNECTION", status: null, retryable: true });
  });

  test("does not ask at all when the signal has aborted already", async () => {
    const requests = answering(server, wire, () => wire.answer({ text: "Hi" }));
    const reason = new Error("stop");
    await expect(ask(wire.client, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(requests).toHaveLength(0);
  });

  test("rejects with the signal's reason when it aborts before the answer", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    answering(server, wire, () => {
      controller.abort(reason);
      return new Promise<never>(() => {});
    });
    await expect(ask(wire.client, {}, controller.signal)).rejects.toBe(reason);
  });

  test("rejects with the signal's reason when it aborts within the answer", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    answering(server, wire, () => {
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(new TextEncoder().encode('event: ping\ndata: {"type":"ping"}\n\n')),
        pull: () => controller.abort(reason),
      });
      return new HttpResponse(body, { headers: { "content-type": "text/event-stream" } });
    });
    await expect(ask(wire.client, {}, controller.signal)).rejects.toBe(reason);
  });
});

test("names by its code a cause without a message, as that of a host with several addresses", async () => {
  const cause = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  const client = new OpenAI({ apiKey: KEY, fetch, logLevel: "off" });
  const error = await faultOf(ask(openai("m", { client })));
  expect([error.code, error.message]).toEqual(["UNREACHABLE", expect.stringContaining("ECONNREFUSED")]);
});

test("fetches no key for a call whose signal has aborted already", async () => {
  const apiKey = vi.fn(async () => KEY);
  const client = openai("m", { client: new OpenAI({ apiKey }) });
  await expect(ask(client, {}, AbortSignal.abort())).rejects.toThrow();
  expect(apiKey).not.toHaveBeenCalled();
});

describe("without a key", () => {
  /** Nothing of this machine: no variable, and an empty folder in place of the home where profiles are kept. */
  function forget() {
    for (const name of [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "ANTHROPIC_PROFILE",
      "OPENAI_API_KEY",
      "OPENAI_ADMIN_KEY",
    ]) {
      vi.stubEnv(name, undefined);
    }
    vi.stubEnv("ANTHROPIC_CONFIG_DIR", "/nowhere");
  }

  test.each([
    { make: anthropic, variable: "ANTHROPIC_API_KEY" },
    { make: openai, variable: "OPENAI_API_KEY" },
  ])(
    "says what would help, before and at a call, and finds the key once $variable is set",
    async ({ make, variable }) => {
      forget();
      const client = make("some-model");
      for (const attempt of [async () => client.preflight?.(), () => ask(client)]) {
        const error = await faultOf(attempt());
        expect(error).toMatchObject({ code: "AUTHENTICATION", retryable: false });
        expect(error.message).toContain(variable);
        expect(error.message).toContain("apiKey");
      }
      vi.stubEnv(variable, KEY);
      await expect(client.preflight?.()).resolves.toBeUndefined();
    },
  );

  test("asks a compatible server without one, and never with what is meant for OpenAI", async () => {
    vi.stubEnv("OPENAI_API_KEY", KEY);
    vi.stubEnv("OPENAI_ORG_ID", "org-secret");
    vi.stubEnv("OPENAI_BASE_URL", "https://elsewhere.test/v1");
    const wire = { ...WIRES[2]!, url: "http://localhost:11434/v1/chat/completions" };
    const requests = answering(server, wire, () => wire.answer({ text: "Hi" }));
    const ollama = openaiCompatible({
      name: "ollama",
      baseURL: "http://localhost:11434/v1",
      headers: { "x-title": "Swarm" },
    });
    expect(await ask(ollama("qwen3"))).toMatchObject({ stop: "end" });
    const { headers } = requests[0]!;
    expect(headers.get("authorization")).toBeNull();
    expect(headers.get("x-title")).toBe("Swarm");
    expect(JSON.stringify([...headers])).not.toMatch(new RegExp(`${KEY}|org-secret`));
  });
});

test.each([
  ["name", () => openaiCompatible({ name: "a:b", baseURL: "http://localhost/v1" })],
  ["baseURL", () => openaiCompatible({ name: "a", baseURL: "localhost" })],
  ["model", () => anthropic("")],
  ["model", () => openai(" ")],
])("refuses a wrong %s when the client is made", (field, make) => {
  expect(make).toThrow(expect.objectContaining({ code: "INVALID_INPUT", field }));
});
