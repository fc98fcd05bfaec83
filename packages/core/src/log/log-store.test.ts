import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunEvent } from "../contracts/event.ts";
import { plainHeader } from "../testing/log-header.ts";
import { fileLogStore } from "./file-log-store.ts";
import type { LogStore } from "./log-store.ts";
import { memoryLogStore } from "./memory-log-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "swarm-logs-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const header = (runId: string) => ({ ...plainHeader, runId });
const event = (tsIndex: number): RunEvent => ({
  tsIndex,
  stepId: "run",
  key: `0.${tsIndex}`,
  kind: "agent",
  agent: null,
  payload: { type: "note", note: { tsIndex } },
});

describe.each<[string, () => LogStore]>([
  ["files", () => fileLogStore(join(directory, "runs"))],
  ["memory", memoryLogStore],
])("logs in %s", (_, open) => {
  test("a log is streamed as it is read, as often as one likes", async () => {
    const store = open();
    const writer = await store.create(header("one"));
    writer.append([event(0), event(1)]);
    const { header: first, events } = await store.stream("one");
    expect(first).toEqual(header("one"));
    expect(await Array.fromAsync(events)).toEqual((await store.read("one")).events);
    writer.append([event(2)]);
    expect(await Array.fromAsync(events)).toHaveLength(3);
    await writer.close();
  });

  test("the runs are told by their ids, sorted; of none that began there are none", async () => {
    const store = open();
    expect(await store.runIds()).toEqual([]);
    for (const runId of ["b", "c.1", "a"]) await (await store.create(header(runId))).close();
    expect(await store.runIds()).toEqual(["a", "b", "c.1"]);
  });

  test("a log that is written to is followed until its writer closes it", async () => {
    const store = open();
    const writer = await store.create(header("one"));
    const { events } = await store.stream("one", { follow: true });
    const seen: number[] = [];
    writer.append([event(0)]);
    for await (const { tsIndex } of events) {
      seen.push(tsIndex);
      if (tsIndex === 3) await writer.close();
      else writer.append([event(tsIndex + 1)]);
    }
    expect(seen).toEqual([0, 1, 2, 3]);
  });

  test("a log that nobody writes to ends with its last event, followed or not", async () => {
    const store = open();
    const writer = await store.create(header("one"));
    writer.append([event(0)]);
    await writer.close();
    const { events } = await store.stream("one", { follow: true });
    expect(await Array.fromAsync(events)).toHaveLength(1);
  });

  test("who follows stops by a signal, with its reason", async () => {
    const store = open();
    const writer = await store.create(header("one"));
    writer.append([event(0)]);
    const abort = new AbortController();
    const { events } = await store.stream("one", { follow: true, signal: abort.signal });
    const seen: RunEvent[] = [];
    const following = (async () => {
      for await (const event of events) {
        seen.push(event);
        setImmediate(() => abort.abort(new Error("enough")));
      }
    })();
    await expect(following).rejects.toThrow("enough");
    expect(seen).toHaveLength(1);
    await writer.close();
  });

  test("a run that is not there cannot be streamed", async () => {
    await expect(open().stream("nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});
