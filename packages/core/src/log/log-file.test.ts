import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunEvent } from "../contracts/event.ts";
import { plainHeader as header } from "../testing/log-header.ts";
import { fileLogStore } from "./file-log-store.ts";
import { streamLogFile } from "./log-file.ts";

let directory: string;
const children = new Set<ChildProcess>();
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "swarm-logs-"));
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  rmSync(directory, { recursive: true, force: true });
});

const event = (tsIndex: number, text = ""): RunEvent => ({
  tsIndex,
  stepId: "run",
  key: `0.${tsIndex}`,
  kind: "agent",
  agent: null,
  payload: { type: "note", note: { text } },
});

/**
 * A process that does what `script` says with the `store`, a `header`, `event(tsIndex, text)` and `say(word)`. `before` is a
 * shell command that goes before it.
 */
function start(script: string, before = "true") {
  const module = new URL("./file-log-store.ts", import.meta.url).href;
  const program = `
    import { fileLogStore } from ${JSON.stringify(module)};
    const store = fileLogStore(${JSON.stringify(directory)});
    const header = ${JSON.stringify(header)};
    const event = ${event.toString()};
    const say = (word) => process.stdout.write(word);
    ${script}`;
  const argv = [process.execPath, "--conditions=@swarm/source", "--input-type=module", "-e", program];
  const child = spawn("sh", ["-c", `${before}; exec "$@"`, "sh", ...argv], { stdio: ["pipe", "pipe", "inherit"] });
  children.add(child);
  return { child, said: once(child.stdout, "data").then(String), ended: once(child, "close").then(([code]) => code) };
}

test("a log is followed while another process writes it, until that process closes it", async () => {
  const { said } = start(`
    const writer = await store.create(header);
    say("begun");
    for (let index = 0; index < 200; index++) {
      writer.append([event(index, "x".repeat(index * 100))]);
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await writer.close();`);
  await said;
  const { events } = await streamLogFile(join(directory, "r.jsonl"), { follow: true });
  expect((await Array.fromAsync(events)).map(({ tsIndex }) => tsIndex)).toEqual([...Array(200).keys()]);
});

test("a log of 100,000 events is read in a heap that holds a fraction of it", async () => {
  const writer = await fileLogStore(directory).create(header);
  for (let index = 0; index < 100_000; index += 1000) {
    writer.append(Array.from({ length: 1000 }, (_, more) => event(index + more, "x".repeat(500))));
  }
  await writer.close();
  const { said } = start(
    `
    let count = 0;
    for await (const { tsIndex } of (await store.stream("r")).events) if (tsIndex === count) count++;
    say(String(count));`,
    "export NODE_OPTIONS=--max-old-space-size=48", // MB; the log has 65, its events as objects far more
  );
  expect(await said).toBe("100000");
});

test("the log of a process that is killed amid a line ends with the last whole one", async () => {
  const { child, said } = start(`
    const writer = await store.create(header);
    writer.append([event(0)]);
    say("begun");
    setInterval(() => {}, 1000);`);
  await said;
  const { events } = await streamLogFile(join(directory, "r.jsonl"), { follow: true });
  const seen: RunEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    appendFileSync(join(directory, "r.jsonl"), '{"tsIndex":1,"st');
    child.kill("SIGKILL");
  }
  expect(seen).toEqual([event(0)]);
});

test("who follows reads what takes the place of a torn tail", async () => {
  const store = fileLogStore(directory);
  const file = join(directory, "r.jsonl");
  const writer = await store.create(header);
  writer.append([event(0)]);
  const { size } = statSync(file);
  appendFileSync(file, `{"tsIndex":1,"stepId":"run","key":"0.1"`);
  const { events } = await store.stream("r", { follow: true });
  const seen: RunEvent[] = [];
  for await (const each of events) {
    seen.push(each);
    if (seen.length === 1) {
      truncateSync(file, size);
      writer.append([event(1, "x".repeat(1000)), event(2)]);
    } else if (seen.length === 3) {
      await writer.close();
    }
  }
  expect(seen).toEqual([event(0), event(1, "x".repeat(1000)), event(2)]);
});

test("of two processes that append to one log the second is refused, and no line is mixed", async () => {
  await (await fileLogStore(directory).create(header)).close();
  const script = (name: string) => `
    try {
      const { writer } = await store.open("r");
      for (let index = 0; index < 1000; index++) writer.append([event(index, "${name}".repeat(8000))]);
      say("${name}");
      process.stdin.resume(); // holds the log until it is killed
    } catch (error) {
      say(error.code);
    }`;
  const said = await Promise.all(["a", "b"].map((name) => start(script(name)).said));
  const [winner, loser] = said[0] === "LOG_BUSY" ? said.toReversed() : said;
  expect(loser).toBe("LOG_BUSY");
  const { events } = await fileLogStore(directory).read("r");
  expect(events).toEqual([...Array(1000).keys()].map((index) => event(index, winner!.repeat(8000))));
});

test("on a full disk what was acknowledged is kept, and the log can be gone on with", async () => {
  const { said, ended } = start(
    `
    const writer = await store.create(header);
    let acknowledged = 0;
    try {
      for (;;) {
        writer.append([event(acknowledged, "x".repeat(700))]);
        await writer.acknowledge(acknowledged % 2 === 0);
        acknowledged++;
      }
    } catch (error) {
      say(error.code + " " + acknowledged);
    }
    await writer.close();`,
    "ulimit -f 32", // 16 kB
  );
  const [code, acknowledged] = (await said).split(" ");
  expect([await ended, code]).toEqual([0, "LOG_WRITE_FAILED"]);
  const { events, writer } = await fileLogStore(directory).open("r");
  expect(events.map(({ tsIndex }) => tsIndex)).toEqual([...Array(Number(acknowledged)).keys()]);
  expect(events.length).toBeGreaterThan(10);
  writer.append([event(events.length)]);
  await writer.close();
  expect((await fileLogStore(directory).read("r")).events).toHaveLength(events.length + 1);
});

test("on a disk that is full from the start no log begins, and nothing is left of it", async () => {
  const { said } = start(`await store.create(header).catch((error) => say(error.code));`, "ulimit -f 0");
  expect([await said, readdirSync(directory)]).toEqual(["LOG_WRITE_FAILED", []]);
});
