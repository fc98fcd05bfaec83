import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { loadTask } from "@swarm/tasks";
import { afterEach, expect, test } from "vitest";
import { anthropicEvents, type Sketch } from "../packages/llm/test/wire.ts";
import { root } from "./workspace.ts";

const program = ["--conditions=@swarm/source", join(root, "scripts/test-live.ts")];

/** The live tests with these keys and no other: the exit code, and the lines that they print. */
async function live(env: Record<string, string>) {
  const options = { env: { PATH: process.env["PATH"], ...env } };
  const { code, stdout } = await promisify(execFile)(process.execPath, program, options).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  return { code, lines: stdout.trimEnd().split("\n") };
}

const server = createServer();
let answers: Sketch[] = [];
server.on("request", (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events = anthropicEvents(answers.shift() ?? { text: "?" });
  response.end(events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
});
afterEach(() => new Promise((done) => (server.listening ? server.close(done) : done(null))));

/** What a model answers that solves a task at once. */
async function solution(id: string): Promise<Sketch[]> {
  const { mock } = await loadTask(id);
  const calls = Object.entries(mock!.right.files).map(([path, content], nth) => {
    return { id: `call_${nth}`, name: "write_file", args: JSON.stringify({ path, content }) };
  });
  const plan = { steps: [{ title: "Do it", instructions: "Do it." }] };
  return [{ text: JSON.stringify(plan) }, { calls, stop: "tool" }, { text: "Done." }];
}

test("without a key all is skipped, which REQUIRE_LIVE makes a failure", async () => {
  const skipped = ["anthropic", "openai", "openrouter", "gemini"].map((name) => `${name}: skipped, `);
  for (const [env, code, end] of [
    [{}, 0, "0 passed, 0 failed, 12 skipped"],
    [{ REQUIRE_LIVE: "1" }, 1, "0 passed, 12 failed, 12 skipped"],
  ] as const) {
    const ran = await live(env);
    expect([ran.code, ran.lines.at(-1)]).toEqual([code, end]);
    for (const [nth, text] of skipped.entries()) expect(ran.lines[nth]).toContain(text);
  }
});

test("with a key its provider is asked, after what that costs at most was said", async () => {
  answers = (await Promise.all(["duration-format", "page-window", "linked-list"].map(solution))).flat();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const ANTHROPIC_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, lines } = await live({ ANTHROPIC_API_KEY: "no-key-at-all-but-set", ANTHROPIC_BASE_URL });
  expect(lines.slice(-5)).toEqual([
    "anthropic:claude-sonnet-5-5:",
    expect.stringMatching(/^ {2}duration-format: verified, 3 calls, /),
    expect.stringMatching(/^ {2}page-window: verified, 3 calls, /),
    expect.stringMatching(/^ {2}linked-list: verified, 3 calls, /),
    "3 passed, 0 failed, 9 skipped",
  ]);
  expect(lines.at(-6)).toMatch(/^anthropic:claude-sonnet-5-5: 3 tasks, at most /);
  expect(code).toBe(0);
  expect(answers).toEqual([]);
});
