import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Blobs } from "../contracts/sandbox.ts";
import { runTask } from "../engine/start-run.ts";
import { thisProcess } from "../owner.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { fileLogStore } from "./file-log-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "swarm-logs-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function aRun() {
  const store = fileLogStore(directory);
  return { store, trajectory: await runTask(conformanceTask, { team: conformanceTeam(), store, runId: "one" }) };
}

test.each<[string, (text: string) => string]>([
  ["a torn tail, which goes", (text) => `${text}{"tsIndex":99,"ste`],
  ["a torn line and blank ones, which go", (text) => `${text}{"tsIndex":99,"ste\n\n \n`],
  ["a last line without its line feed, which counts", (text) => text.trimEnd()],
])("what is appended after %s, is readable", async (_, change) => {
  const { store, trajectory } = await aRun();
  const file = join(directory, "one.jsonl");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, change(before));
  const { events, writer } = await store.open("one");
  expect(events).toHaveLength(trajectory.events.length);
  writer.append([{ ...events[0]!, tsIndex: events.length, key: null }]);
  await writer.close();
  expect((await store.read("one")).events).toHaveLength(events.length + 1);
  const lines = readFileSync(file, "utf8").split("\n");
  expect(`${lines.slice(0, -2).join("\n")}\n`).toBe(before); // and one line more
});

test("a run that has a log is not written over", async () => {
  const { store, trajectory } = await aRun();
  await expect(store.create(trajectory.header)).rejects.toMatchObject({ code: "LOG_EXISTS" });
  expect((await store.read("one")).events).toHaveLength(trajectory.events.length);
});

test("a log begins with its whole header, also after one that was cut off", async () => {
  const { store, trajectory } = await aRun();
  writeFileSync(join(directory, "two.jsonl.new"), '{"sche');
  const writer = await store.create({ ...trajectory.header, runId: "two" });
  expect(await store.read("two")).toEqual({ header: { ...trajectory.header, runId: "two" }, events: [] });
  await writer.close();
  expect(readdirSync(directory)).toEqual(["one.jsonl", "two.jsonl"]);
});

test("a header that cannot be written leaves nothing", async () => {
  const { store, trajectory } = await aRun();
  const header = { ...trajectory.header, runId: "two", measured: { count: 1n as never } };
  await expect(store.create(header)).rejects.toThrow(TypeError);
  expect(readdirSync(directory)).toEqual(["one.jsonl"]);
});

test("a log has one writer, and that of a dead process is taken over", async () => {
  const { store } = await aRun();
  const { writer } = await store.open("one");
  await expect(store.open("one")).rejects.toMatchObject({ code: "LOG_BUSY" });
  await writer.close();
  for (const [name, holder, pid] of [
    ["one that is gone", { ...thisProcess(), pid: 999_999_999, started: "1" }, 999_999_999],
    ["our own id from a former life", { ...thisProcess(), started: "1" }, process.pid],
    [
      "a living id that another process had before",
      { ...thisProcess(), pid: process.ppid, started: "1" },
      process.ppid,
    ],
    ["all of ours, from before the machine was started again", { ...thisProcess(), boot: "earlier" }, process.pid],
    ["half of a lock", "", null],
  ] as const) {
    writeFileSync(join(directory, "one.jsonl.lock"), holder === "" ? "" : JSON.stringify(holder));
    const { writer, tookOver } = await store.open("one");
    expect(tookOver, name).toBe(pid);
    await writer.close();
  }
  expect(readdirSync(directory)).toEqual(["one.jsonl"]);
});

test("a log has one writer also where another folder has a link to it, which stays one", async () => {
  const { store } = await aRun();
  const other = mkdtempSync(join(tmpdir(), "swarm-links-"));
  symlinkSync(join(directory, "one.jsonl"), join(other, "one.jsonl"));
  const linked = fileLogStore(other);
  const { writer } = await store.open("one");
  await expect(linked.open("one")).rejects.toMatchObject({ code: "LOG_BUSY" });
  await writer.close();
  const { writer: second, events } = await linked.open("one");
  await expect(store.open("one")).rejects.toMatchObject({ code: "LOG_BUSY" });
  second.append([{ ...events[0]!, tsIndex: events.length, key: null }]);
  await second.close();
  expect((await store.read("one")).events).toHaveLength(events.length + 1);
  expect(lstatSync(join(other, "one.jsonl")).isSymbolicLink()).toBe(true);
  rmSync(other, { recursive: true });
});

test("a lock of a process that cannot be seen from here is respected", async () => {
  const { store } = await aRun();
  writeFileSync(join(directory, "one.jsonl.lock"), JSON.stringify({ ...thisProcess(), where: "another host" }));
  await expect(store.open("one")).rejects.toMatchObject({ code: "LOG_BUSY" });
});

test("a log that cannot be opened leaves no lock", async () => {
  const { store } = await aRun();
  const file = join(directory, "one.jsonl");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("conformance", "conformity"));
  const named = {
    code: "LOG_DAMAGED",
    line: 1,
    offset: 0,
    message: expect.stringContaining(`${file}: line 1 of the log`),
  };
  await expect(store.open("one")).rejects.toMatchObject(named);
  await expect(store.stream("one")).rejects.toMatchObject(named);
  writeFileSync(file, text);
  await (await store.open("one")).writer.close();
});

test("a run that is not there, and a name that is no file name", async () => {
  const store = fileLogStore(directory);
  await expect(store.read("nothing")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(store.read("../one")).rejects.toMatchObject({ code: "INVALID_INPUT", field: "runId" });
});

test.each([
  ["kernel", false],
  ["critical", true],
  ["all", true],
] as const)("with the durability %s, that what a log names is synced when it is: %s", async (durability, synced) => {
  const team = conformanceTeam();
  const sandbox = team.defaults.sandbox();
  const pending = new Set<string>();
  const blobs: Blobs = {
    ...sandbox.blobs,
    async put(data) {
      const id = await sandbox.blobs.put(data);
      pending.add(id);
      return id;
    },
    sync: async () => pending.clear(),
  };
  await runTask(conformanceTask, {
    team,
    sandbox: { ...sandbox, blobs },
    store: fileLogStore(directory, { durability }),
  });
  expect(pending.size === 0).toBe(synced);
});
