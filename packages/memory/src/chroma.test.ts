import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chroma, type RunRecord } from "@swarm/memory";
import { memoryConformance } from "@swarm/memory/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ChromaServer, chromaServer } from "../test/chroma-server.ts";

const { signal } = new AbortController();
const record: RunRecord = {
  runId: "a",
  task: "Write a search tree.",
  outcome: "verified",
  plan: [],
  files: [],
  functions: {},
  summary: "",
};

describe("a real Chroma server", () => {
  let directory: string;
  let server: ChromaServer | string;
  let count = 0;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "chroma-"));
    server = await chromaServer(directory);
    if (typeof server === "string") console.warn(`NOTHING IS TRIED ON A REAL CHROMA SERVER HERE: ${server}`);
  }, 150_000);
  afterAll(async () => {
    if (typeof server !== "string") await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const fresh = async () => {
    const { url } = server as ChromaServer;
    const collection = `case-${count++}`;
    return { open: (options: { secrets: readonly string[] }) => chroma({ url, collection, ...options }) };
  };
  it.each(memoryConformance(fresh))("$name", async ({ run }) => {
    if (typeof server !== "string") await run();
  });

  it("leaves out what is too far away, and takes the vectors of one embedding only", async () => {
    if (typeof server === "string") return;
    const { url } = server;
    const vectors: Record<string, number[]> = { east: [1, 0], north: [0, 1], "north-east": [1, 1] };
    const at = async (texts: readonly string[]) =>
      texts.map((text) => vectors[/\b(north-east|north|east)\b/.exec(text)?.[1] ?? ""] ?? [1, 2]);
    const store = chroma({ url, collection: "directions", embed: at });
    for (const task of Object.keys(vectors)) await store.remember({ ...record, runId: task, task });
    expect(await store.recall("east", { limit: 3, signal })).toEqual([
      { id: "east", text: expect.stringContaining("Task: east"), distance: expect.closeTo(0, 4) },
      { id: "north-east", text: expect.any(String), distance: expect.closeTo(1 - Math.SQRT1_2, 4) },
    ]);
    const other = chroma({ url, collection: "directions" });
    await expect(other.remember(record)).rejects.toMatchObject({
      code: "MEMORY_REFUSED",
      retryable: false,
      message: expect.stringContaining("another embedding"),
    });
  });
});

describe("a server that fails", () => {
  let http: Server | null = null;
  afterEach(() => {
    http?.closeAllConnections();
    http?.close();
    http = null;
  });
  /** The address of a server that gives each request this answer; none: it never answers. */
  async function answering(status?: number, body = "{}"): Promise<string> {
    const server = createServer((_, response) => {
      if (status !== undefined) response.writeHead(status).end(body);
    });
    http = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const recall = (url: string, timeoutMs = 5_000) => chroma({ url, timeoutMs }).recall("tree", { limit: 3, signal });

  it.each([
    [503, "overloaded", { code: "MEMORY_UNREACHABLE", retryable: true, status: 503 }],
    [429, "slow down", { code: "MEMORY_UNREACHABLE", retryable: true }],
    [
      401,
      "who are you",
      { code: "MEMORY_REFUSED", retryable: false, message: expect.stringContaining("401: who are you") },
    ],
    [200, "<html>", { code: "MEMORY_UNREACHABLE" }],
  ])("with %d %s says so", async (status, body, error) => {
    await expect(recall(await answering(status, body))).rejects.toMatchObject(error);
  });

  it("is not waited for longer than it may take", async () => {
    const error = { code: "MEMORY_UNREACHABLE", retryable: true, message: expect.stringContaining("within 0.05 s") };
    await expect(recall(await answering(), 50)).rejects.toMatchObject(error);
  });

  it("is not waited for after an abort", async () => {
    const url = await answering();
    const abort = new AbortController();
    const recalling = chroma({ url }).recall("tree", { limit: 3, signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(recalling).rejects.toThrow("enough");
  });

  it("by not being there is named", async () => {
    const url = await answering(200);
    await new Promise((resolve) => http?.close(resolve));
    await expect(recall(url)).rejects.toMatchObject({ retryable: true, message: expect.stringContaining(url) });
  });

  it("that has no such collection is asked to make it once, and not for ever", async () => {
    let asked = 0;
    const fetched: typeof fetch = async (url) => {
      asked++;
      if (String(url).endsWith("/collections")) return Response.json({ id: "c" });
      return new Response("gone", { status: 404 });
    };
    const store = chroma({ url: "http://chroma.test", fetch: fetched });
    await expect(store.remember(record)).rejects.toMatchObject({ code: "MEMORY_REFUSED", status: 404 });
    await expect(store.remember(record)).rejects.toMatchObject({ code: "MEMORY_REFUSED", status: 404 });
    expect(asked).toBeLessThan(10);
    await store.clear(); // nothing to clear is no fault
  });
});

it.each(["", "localhost:8000", "ftp://chroma", "http://"])("refuses %j as an address", (url) => {
  expect(() => chroma({ url })).toThrow(/^url: has to be the address/);
});
