import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JsonObject } from "@swarm/core";
import { type ModelOfOptions, modelOf, PROVIDERS } from "@swarm/llm/models";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ask, chatWire } from "../test/wire.ts";

const KEYS = {
  ANTHROPIC_API_KEY: "key-anthropic",
  OPENAI_API_KEY: "key-openai",
  OPENROUTER_API_KEY: "key-openrouter",
  GEMINI_API_KEY: "key-gemini",
};
const idOf = async (id: string, env: ModelOfOptions["env"]) => (await modelOf(id, { env })).id;

describe("the provider", () => {
  test.each([
    ["anthropic:claude-sonnet-5-5", "anthropic:claude-sonnet-5-5"],
    ["ollama:qwen3:8b", "ollama:qwen3:8b"],
    ["openrouter:some/model:free=1", "openrouter:some/model:free=1"],
    ["openai:claude-like", "openai:claude-like"],
    ["claude-sonnet-5-5", "anthropic:claude-sonnet-5-5"],
    ["gpt-6.1-terra", "openai:gpt-6.1-terra"],
    ["o3", "openai:o3"],
    ["o4-mini", "openai:o4-mini"],
    ["gemini-3.8-flash", "gemini:gemini-3.8-flash"],
    ["google/gemini-3.7-flash", "openrouter:google/gemini-3.7-flash"],
    ["qwen/qwen3:free", "openrouter:qwen/qwen3:free"],
  ])("of %s is told by its name: %s", async (name, id) => {
    expect(await idOf(name, KEYS)).toBe(id);
  });

  test.each([
    ["openrouter", { OPENROUTER_API_KEY: "k", OPENAI_API_KEY: " " }],
    ["vllm", { VLLM_API_KEY: "k" }],
    ["gemini", { GEMINI_API_KEY: "", GOOGLE_API_KEY: "k" }],
    ["openai", { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "" }],
  ])("of a bare name that says nothing is %s by the only key", async (provider, env) => {
    expect(await idOf("qwen3-coder", env)).toBe(`${provider}:qwen3-coder`);
  });

  test.each([
    [
      "openai-large",
      {},
      /whose model it is, and no key is set; give one of .*openrouter:openai-large.*ollama:openai-large/,
    ],
    [
      "qwen3",
      { ...KEYS },
      /several keys are set; give one of anthropic:qwen3, openai:qwen3, openrouter:qwen3, gemini:qwen3$/,
    ],
    ["antropic:claude", KEYS, /"antropic" of "antropic:claude" is no provider; did you mean anthropic\?/],
    ["qwen3:8b", KEYS, /no provider; give provider:model, .* anthropic, openai, openrouter, gemini, ollama, vllm$/],
    [":x", KEYS, /"" of ":x" is no provider/],
    ["anthropic:", KEYS, /names no model; give provider:model/],
    [" ", KEYS, /names no model/],
    ["constructor:x", KEYS, /is no provider/],
  ])("%j with %j is refused", async (id, env, message) => {
    await expect(modelOf(id, { env })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      field: "model",
      message: expect.stringMatching(message),
    });
  });
});

test("the README's table is that of the providers", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^\| `([a-z]+)` +\|[^|]*\| ([^|]+)\| `([^`]+)` +\| ([^|]*)\|$/gm)];
  const told = rows.map(([, name, key, baseURL, other]) => [name, key!.trim(), baseURL, other!.trim()]);
  expect(told).toEqual(
    PROVIDERS.map(({ name, keyVariables, baseURL, baseURLVariable, local }) => [
      name,
      keyVariables.map((variable) => `\`${variable}\`${local ? " (optional)" : ""}`).join(" or ") || "none",
      baseURL,
      baseURLVariable === null ? "" : `\`${baseURLVariable}\``,
    ]),
  );
});

describe("a key", () => {
  afterEach(() => vi.unstubAllEnvs());

  test.each(PROVIDERS.filter(({ local }) => !local))(
    "of $name that is not set is named",
    async ({ name, keyVariables: [keyVariable] }) => {
      // What stands in the process's own environment does not count: only what was passed does.
      vi.stubEnv(keyVariable!, "key-of-the-process");
      for (const env of [{}, { [keyVariable!]: " " }]) {
        await expect(modelOf(`${name}:m`, { env })).rejects.toMatchObject({
          code: "MISSING_KEY",
          field: keyVariable,
          message: expect.stringContaining(`models of ${name} need it`),
        });
      }
    },
  );
});

describe("requests", () => {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());

  /** Where a model's request went and what it carried as its key. */
  async function requestOf(id: string, env: ModelOfOptions["env"]) {
    const seen: { url: string; key: string | null }[] = [];
    server.use(
      http.post("*", ({ request }) => {
        seen.push({ url: request.url, key: request.headers.get("x-api-key") ?? request.headers.get("authorization") });
        return HttpResponse.json({ error: { message: "seen" } }, { status: 400 });
      }),
    );
    await expect(ask(await modelOf(id, { env }))).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(seen).toHaveLength(1);
    return seen[0]!;
  }

  test.each([
    ["anthropic", {}, "https://api.anthropic.com/v1/messages", /key-anthropic$/],
    ["anthropic", { ANTHROPIC_BASE_URL: "https://proxy.test" }, "https://proxy.test/v1/messages", /key-anthropic$/],
    ["openai", {}, "https://api.openai.com/v1/responses", /key-openai$/],
    ["openai", { OPENAI_BASE_URL: "" }, "https://api.openai.com/v1/responses", /key-openai$/],
    ["openai", { OPENAI_BASE_URL: "https://proxy.test/v1" }, "https://proxy.test/v1/responses", /key-openai$/],
    ["openrouter", {}, "https://openrouter.ai/api/v1/chat/completions", /key-openrouter$/],
    ["gemini", {}, "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", /key-gemini$/],
    [
      "gemini",
      { GEMINI_API_KEY: "", GOOGLE_API_KEY: "key-google" },
      "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
      /key-google$/,
    ],
    ["ollama", {}, "http://localhost:11434/v1/chat/completions", null],
    ["ollama", { OLLAMA_HOST: "gpu" }, "http://gpu:11434/v1/chat/completions", null],
    ["ollama", { OLLAMA_HOST: "0.0.0.0" }, "http://127.0.0.1:11434/v1/chat/completions", null],
    ["ollama", { OLLAMA_HOST: "gpu:80" }, "http://gpu/v1/chat/completions", null],
    ["ollama", { OLLAMA_HOST: "http://gpu/" }, "http://gpu/v1/chat/completions", null],
    ["ollama", { OLLAMA_HOST: "https://gpu.test" }, "https://gpu.test/v1/chat/completions", null],
    ["ollama", { OLLAMA_HOST: "https://gpu.test:8443/" }, "https://gpu.test:8443/v1/chat/completions", null],
    ["vllm", { VLLM_API_KEY: "key-vllm" }, "http://localhost:8000/v1/chat/completions", /key-vllm$/],
    ["vllm", { VLLM_BASE_URL: "http://gpu:9000/v1" }, "http://gpu:9000/v1/chat/completions", null],
  ])("of %s with %j go to %s", async (provider, env, url, key) => {
    const seen = await requestOf(`${provider}:m`, { ...KEYS, ...env });
    expect(seen.url).toBe(url);
    if (key === null) expect(seen.key).toBeNull();
    else expect(seen.key).toMatch(key);
  });

  test("are answered from the cache once it is asked for", async () => {
    const directory = await mkdtemp(join(tmpdir(), "swarm-models-"));
    try {
      server.use(http.post("*", () => chatWire.answer({ text: "Hi" }) as HttpResponse<JsonObject>));
      const client = await modelOf("vllm:m", { env: {}, cache: { directory } });
      const request = { model: "vllm:m", system: "", turns: [], tools: [], maxTokens: 9, cacheable: true };
      expect(await client.cached!(request)).toEqual({ state: "miss" });
      await ask(client, request);
      expect(await client.cached!(request)).toMatchObject({ state: "hit" });
      expect((await modelOf("vllm:m", { env: {} })).cached).toBeUndefined();
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

test.each([
  ["vllm", "VLLM_BASE_URL", "nowhere"],
  ["vllm", "VLLM_BASE_URL", "localhost:8000/v1"],
  ["ollama", "OLLAMA_HOST", "http://"],
  ["openai", "OPENAI_BASE_URL", "ftp://proxy.test"],
])("an address of %s that is none names %s: %s", async (provider, variable, value) => {
  await expect(modelOf(`${provider}:m`, { env: { ...KEYS, [variable]: value } })).rejects.toMatchObject({
    code: "INVALID_INPUT",
    field: variable,
    message: expect.stringContaining(`${JSON.stringify(value)} is no address`),
  });
});

describe("the price", () => {
  const price = { input: 7, output: 8 };

  test("and the window come from the list, unless they are given", async () => {
    const listed = await modelOf("gpt-5", { env: KEYS });
    expect(listed).toMatchObject({ price: { input: 1.25, output: 10 }, window: 400_000 });
    expect(await modelOf("gpt-5", { env: KEYS, price, window: 9 })).toMatchObject({ price, window: 9 });
    expect(await modelOf("gpt-5", { env: KEYS, price })).toMatchObject({ price, window: 400_000 });
    expect(await modelOf("gpt-5", { env: KEYS, price: null, window: null })).toMatchObject({
      price: null,
      window: null,
    });
    expect(await modelOf("gpt-5", { env: KEYS, price: null })).toMatchObject({ price: null, window: 400_000 });
  });

  test("of a server of one's own is unknown, unless it is given", async () => {
    expect(await modelOf("ollama:gpt-5", { env: KEYS })).toMatchObject({ price: null, window: null });
    expect(await modelOf("ollama:gpt-5", { env: KEYS, price })).toMatchObject({ price });
  });
});

describe("preflight", () => {
  test("asks a provider nothing", async () => {
    const client = await modelOf("claude-sonnet-5-5", { env: { ...KEYS, ANTHROPIC_BASE_URL: "http://127.0.0.1:1" } });
    await expect(client.preflight!()).resolves.toBeUndefined();
  });

  test("of a server of one's own says whether it is there, whatever it answers", async () => {
    const server = createServer((_, response) => response.writeHead(404).end("page not found"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ollama = await modelOf("ollama:m", { env: { OLLAMA_HOST: origin } });
    const vllm = await modelOf("vllm:m", { env: { VLLM_BASE_URL: `${origin}/v1` } });
    await expect(ollama.preflight!()).resolves.toBeUndefined();
    await expect(vllm.preflight!()).resolves.toBeUndefined();

    await new Promise((done) => server.close(done));
    const fault = { code: "UNREACHABLE", retryable: true };
    await expect(ollama.preflight!()).rejects.toMatchObject(fault);
    await expect(ollama.preflight!()).rejects.toThrow(
      new RegExp(
        `^ollama:m could not be reached: .*ECONNREFUSED.*, at ${origin}; start the server, or set OLLAMA_HOST`,
      ),
    );
    await expect(vllm.preflight!()).rejects.toThrow("VLLM_BASE_URL");
  });
});

test.each([
  { missing: "openai", makes: "anthropic:m", refuses: ["openai:m", "ollama:m"] },
  { missing: "@anthropic-ai/sdk", makes: "vllm:m", refuses: ["anthropic:m"] },
])("loads the SDK that is needed: without $missing it makes $makes", async ({ missing, makes, refuses }) => {
  const program = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        if (!(specifier + "/").startsWith(${JSON.stringify(`${missing}/`)})) return next(specifier, context);
        throw Object.assign(new Error("Cannot find package '${missing}' imported from x"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });
    const { modelOf } = await import("@swarm/llm/models");
    const told = [];
    for (const id of ${JSON.stringify([makes, ...refuses])}) {
      await modelOf(id, { env: ${JSON.stringify(KEYS)} }).then(({ id }) => told.push(id), (error) => told.push(error.code + " " + error.message));
    }
    console.log(JSON.stringify(told));
  `;
  const args = ["--conditions=@swarm/source", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const [made, ...refused] = JSON.parse(stdout) as string[];
  expect(made).toBe(makes);
  expect(refused).toHaveLength(refuses.length);
  for (const problem of refused) expect(problem).toMatch(new RegExp(`^MISSING_SDK .*npm install ${missing}$`));
});
