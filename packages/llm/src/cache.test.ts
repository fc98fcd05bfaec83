import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { LLMClient, LLMRequest, LLMResponse, Part } from "@swarm/core";
import { type Answer, scripted } from "@swarm/core/testing";
import { cachedOnDisk } from "@swarm/llm/cache";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AT } from "../test/wire.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "swarm-cache-"));
});
afterEach(() => rm(directory, { recursive: true }));

const REQUEST: LLMRequest = {
  model: "test:m",
  system: "Be brief.",
  turns: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
  tools: [{ name: "look", description: "Looks.", input: { type: "object", properties: {} } }],
  maxTokens: 1000,
  cacheable: true,
};
const text = (content: string): Part => ({ type: "text", text: content });
const responding = (response: Partial<LLMResponse> = {}): LLMResponse => ({
  parts: [text("Hi")],
  stop: "end",
  tokens: { input: 1, output: 2, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
  ...response,
});

function cached(
  answer: Answer = responding(),
  options: { ttlSeconds?: number; secrets?: string[]; now?: () => number } = {},
) {
  return cachedOnDisk(
    scripted("test:m", () => answer),
    { directory, ...options },
  );
}
const lookUp = (client: LLMClient, change: Partial<LLMRequest> = {}) => client.cached!({ ...REQUEST, ...change });
const complete = (client: LLMClient, change: Partial<LLMRequest> = {}) =>
  client.complete({ ...REQUEST, ...change }, { signal: new AbortController().signal, at: AT });
const files = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

test("a kept answer is found, also by another client on the same folder", async () => {
  const client = cached();
  expect(await lookUp(client)).toEqual({ state: "miss" });
  expect(await complete(client)).toEqual(responding());
  expect(await lookUp(client)).toEqual({ state: "hit", response: responding() });
  expect(await lookUp(cached())).toEqual({ state: "hit", response: responding() });
});

test("keeps no secret, whether it is named or shaped like a key", async () => {
  const shaped = `sk-${"a".repeat(40)}`;
  const client = cached(responding({ parts: [text(`${shaped} correct-horse-battery`)] }), {
    secrets: ["correct-horse-battery"],
  });
  await complete(client);
  const kept = { state: "hit", response: responding({ parts: [text("[redacted-secret] [redacted-secret]")] }) };
  expect(await lookUp(client)).toEqual(kept);
});

test("complete asks the provider though an answer is kept", async () => {
  const model = scripted("test:m", () => "Hi");
  const client = cachedOnDisk(model, { directory });
  await complete(client);
  await complete(client);
  expect(model.requests).toHaveLength(2);
});

test.each<[string, Partial<LLMRequest>]>([
  ["model", { model: "test:n" }],
  ["system prompt", { system: "" }],
  ["turns", { turns: [] }],
  ["tools", { tools: [] }],
  ["output schema", { output: { type: "object" } }],
  ["effort", { effort: "low" }],
  ["temperature", { temperature: 0 }],
  ["token limit", { maxTokens: 1001 }],
])("a request with another %s is another one", async (_, change) => {
  const client = cached();
  await complete(client);
  expect(await lookUp(client, change)).toEqual({ state: "miss" });
  await complete(client, change);
  expect(await lookUp(client, change)).toMatchObject({ state: "hit" });
  expect(await files()).toHaveLength(2);
});

test("the order in which a request's fields were written does not matter", async () => {
  const client = cached();
  await complete(client);
  const tools = [{ input: { properties: {}, type: "object" }, description: "Looks.", name: "look" }];
  expect(await lookUp(client, { tools })).toMatchObject({ state: "hit" });
});

test("keeps nothing of a request that is not cacheable", async () => {
  await complete(cached(), { cacheable: false });
  expect(await files()).toEqual([]);
});

test.each<[string, Partial<LLMResponse>]>([
  ["cut off", { stop: "length" }],
  ["refused", { stop: "refusal" }],
  ["filtered", { stop: "filter" }],
  ["empty", { parts: [] }],
  [
    "malformed",
    { stop: "tool", parts: [text("Hi"), { type: "malformed", id: "a", tool: "look", text: "{", problem: "cut" }] },
  ],
])("an answer that is %s is given and not kept", async (_, change) => {
  const answer = responding(change);
  expect(await complete(cached(answer))).toEqual(answer);
  expect(await files()).toEqual([]);
});

test("an answer that failed is not kept", async () => {
  const model = scripted("test:m", () => {
    throw new Error("down");
  });
  await expect(complete(cachedOnDisk(model, { directory }))).rejects.toThrow("down");
  expect(await files()).toEqual([]);
});

describe("an answer", () => {
  test.each([
    { age: 0, state: "hit" },
    { age: 9_999, state: "hit" },
    { age: 10_000, state: "expired" },
    { age: -1, state: "expired" },
  ])("kept $age ms ago with a limit of 10 s is a $state", async ({ age, state }) => {
    await complete(cached(responding(), { now: () => 1_000_000 }));
    const later = cached(responding(), { ttlSeconds: 10, now: () => 1_000_000 + age });
    expect(await lookUp(later)).toMatchObject({ state });
    expect(await files()).toHaveLength(state === "hit" ? 1 : 0);
    expect(await lookUp(later)).toMatchObject({ state: state === "hit" ? "hit" : "miss" });
  });

  test("is fresh for an hour unless something else is said", async () => {
    await complete(cached(responding(), { now: () => 0 }));
    expect(await lookUp(cached(responding(), { now: () => 3_599_999 }))).toMatchObject({ state: "hit" });
    expect(await lookUp(cached(responding(), { now: () => 3_600_000 }))).toEqual({ state: "expired" });
  });
});

test("a time of 0 turns the cache off", () => {
  const model = scripted("test:m", () => "Hi");
  expect(cachedOnDisk(model, { directory, ttlSeconds: 0 })).toBe(model);
});

test.each([
  ["ttlSeconds", { directory: "x", ttlSeconds: -1 }],
  ["ttlSeconds", { directory: "x", ttlSeconds: Number.NaN }],
  ["directory", { directory: "" }],
])("refuses a wrong %s", (field, options) => {
  const make = () =>
    cachedOnDisk(
      scripted("test:m", () => "Hi"),
      options,
    );
  expect(make).toThrow(expect.objectContaining({ code: "INVALID_INPUT", field }));
});

test.each([
  ["empty", ""],
  ["half-written", '{"at":1,"response":{"parts":[{"type":"te'],
  ["no entry", "[]"],
  ["without a time", JSON.stringify({ response: responding() })],
  ["no response", JSON.stringify({ at: Date.now(), response: { parts: [{ type: "text" }], stop: "end" } })],
  ["of another kind of stop", JSON.stringify({ at: Date.now(), response: { ...responding(), stop: "?" } })],
])("an entry that is %s is a miss, and written anew", async (_, content) => {
  const client = cached();
  await complete(client);
  await writeFile((await files())[0]!, content);
  expect(await lookUp(client)).toEqual({ state: "miss" });
  await complete(client);
  expect(await lookUp(client)).toMatchObject({ state: "hit" });
});

test("reasoning comes back byte for byte", async () => {
  const strings = fc.string({ unit: "binary" });
  await fc.assert(
    fc.asyncProperty(fc.json({ stringUnit: "binary" }), strings, async (json, signature) => {
      const data = { signature, inner: JSON.parse(json) };
      const response = responding({ parts: [{ type: "reasoning", provider: "test", data }] });
      const client = cached(response);
      await complete(client);
      const found = await lookUp(client);
      expect(JSON.stringify(found)).toBe(JSON.stringify({ state: "hit", response }));
    }),
    { numRuns: 50, examples: [['{"__proto__":{"a":1},"2":0,"1":"\\ud800"}', "\udfff"]] },
  );
});

test("a folder that cannot be made fails no call, and shows as a miss", async () => {
  const file = join(directory, "file");
  await writeFile(file, "");
  const client = cachedOnDisk(
    scripted("test:m", () => responding()),
    { directory: join(file, "cache") },
  );
  for (const _ of [1, 2]) {
    expect(await lookUp(client)).toEqual({ state: "miss" });
    expect(await complete(client)).toEqual(responding());
  }
});

test("an entry that can be neither read nor replaced fails no call, and leaves nothing beside it", async () => {
  const client = cached();
  await complete(client);
  const [file] = await files();
  await rm(file!);
  await mkdir(join(file!, "in the way"), { recursive: true });
  expect(await lookUp(client)).toEqual({ state: "miss" });
  expect(await complete(client)).toEqual(responding());
  expect(await readdir(dirname(file!))).toHaveLength(1);
});

test("processes that write one entry at once never show a part of it", async () => {
  const long = responding({ parts: [text("x".repeat(100_000))] });
  const writer = `
    import { cachedOnDisk } from "@swarm/llm/cache";
    const request = ${JSON.stringify(REQUEST)};
    const client = { id: "test:m", complete: async () => (${JSON.stringify(long)}) };
    const cached = cachedOnDisk(client, { directory: ${JSON.stringify(directory)} });
    for (let n = 0; n < 100; n++) await cached.complete(request, {});
  `;
  const args = ["--conditions=@swarm/source", "--input-type=module", "--eval", writer];
  const run = () => promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const client = cached();
  await complete(client);
  let writing = true;
  const writers = Promise.all([run(), run()]).finally(() => (writing = false));
  const seen = new Set<string>();
  while (writing) {
    const found = await lookUp(client);
    seen.add(found.state === "hit" ? JSON.stringify(found.response) : found.state);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writers;
  expect(seen).toEqual(new Set([responding(), long].map((response) => JSON.stringify(response))));
  expect(await files()).toHaveLength(1);
});

test("leaves the rest of a client as it is, be it an instance of a class", async () => {
  class Model implements LLMClient {
    readonly specificationVersion = "v1";
    readonly id = "test:m";
    readonly window = 10;
    readonly price = { input: 1, output: 2 };
    #checked = 0;
    preflight() {
      this.#checked++;
    }
    async complete() {
      return responding({ parts: [text(`checked ${this.#checked} times`)] });
    }
  }
  const client = cachedOnDisk(new Model(), { directory });
  expect(client).toMatchObject({
    specificationVersion: "v1",
    id: "test:m",
    window: 10,
    price: { input: 1, output: 2 },
  });
  await client.preflight!();
  expect((await complete(client)).parts).toEqual([text("checked 1 times")]);
});
