import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AttemptContext } from "../contracts/program.ts";
import { defineProgram } from "../contracts/program.ts";
import type { Role, Team } from "../contracts/team.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { readPack, writePack } from "../log/pack.ts";
import { memorySandbox } from "../testing/memory-sandbox.ts";
import { scripted } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { replayRun } from "./replay-run.ts";
import { runTask } from "./start-run.ts";

const store = memoryLogStore();
const recordedTeam = conformanceTeam();
const recordedRun = await runTask(conformanceTask, { team: recordedTeam, store });
const { runId } = recordedRun;

const divergenceOf = async (team: Team) => (await replayRun(runId, { team, store })).divergence;
const withRole = (name: string, change: (role: Role) => Role): Team => ({
  ...recordedTeam,
  roles: { ...recordedTeam.roles, [name]: change(recordedTeam.roles[name]!) },
});
type AnyTool = Role["tools"][number];
const withTool = (name: string, change: (tool: AnyTool) => Partial<AnyTool>): Team =>
  withRole("coder", (role) => ({
    ...role,
    tools: role.tools.map((tool) => (tool.name === name ? { ...tool, ...change(tool) } : tool)),
  }));

describe("a replay names what differs", () => {
  test("a tool that gives another output, by the tool, though its step and run came out otherwise too", async () => {
    const team = withTool("read", () => ({ call: async () => ({ ok: true, output: "something else" }) }));
    const divergence = await divergenceOf(team);
    expect(divergence).toMatchObject({
      stepId: "run/write",
      cause: { kind: "tool-output", tool: "read" },
      differences: [{ path: "payload.value.output", before: "start\n", after: "something else" }],
    });
  });

  test("a tool that leaves other files, though it says the same", async () => {
    const team = withTool("append", (tool) => ({
      async call(input, context) {
        const output = await tool.call(input, context);
        await context.workspace.write("litter.txt", "x");
        return { ok: output.ok, output: output.output };
      },
    }));
    expect(await divergenceOf(team)).toMatchObject({
      cause: { kind: "tool-output", tool: "append" },
      differences: [{ path: "payload.snapshot" }],
    });
  });

  test("a system prompt, with both texts", async () => {
    const team = withRole("coder", (role) => ({ ...role, system: "Write the files well." }));
    expect(await divergenceOf(team)).toMatchObject({
      cause: { kind: "prompt", role: "coder", part: "system", tool: null },
      differences: [{ path: "system", before: "Write the files.", after: "Write the files well." }],
    });
  });

  test("what a model is told of a tool, by the tool", async () => {
    const team = withTool("append", () => ({ description: "Appends text to the end of a file." }));
    expect(await divergenceOf(team)).toMatchObject({
      cause: { kind: "prompt", role: "coder", part: "tools", tool: "append" },
      differences: [{ path: "tools.1.description" }],
    });
  });

  test("another setting of a role, and another model", async () => {
    const limited = withRole("coder", (role) => ({ ...role, maxTokens: 10 }));
    expect((await divergenceOf(limited))?.cause).toEqual({
      kind: "prompt",
      role: "coder",
      part: "settings",
      tool: null,
    });
    const other = withRole("coder", (role) => ({ ...role, models: [scripted("a:b", {})] as const }));
    expect((await divergenceOf(other))?.cause).toEqual({ kind: "prompt", role: "coder", part: "model", tool: null });
  });

  test("a tests' report", async () => {
    const { tests } = recordedTeam.defaults;
    const run = async (...given: Parameters<ReturnType<typeof tests>["run"]>) => {
      const { report, durations } = await tests().run(...given);
      return {
        report: { ...report, tests: report.tests.map((one) => ({ ...one, status: "passed" as const })) },
        durations,
      };
    };
    const { divergence } = await replayRun(runId, { team: recordedTeam, store, tests: { run } });
    expect(divergence).toMatchObject({ stepId: "run/write", cause: { kind: "test-result" } });
  });

  test("the oracle's word", async () => {
    const oracle = recordedTeam.defaults.oracle();
    const verify: typeof oracle.verify = async (...given) => ({
      ...(await oracle.verify(...given)),
      outcome: "passed",
    });
    const { divergence } = await replayRun(runId, { team: recordedTeam, store, oracle: { ...oracle, verify } });
    expect(divergence).toMatchObject({
      cause: { kind: "oracle", call: "verify" },
      differences: [{ path: "payload.value.outcome", before: "verified", after: "passed" }],
    });
  });

  test("a task that is not the one of the log, by the field", async () => {
    const testFiles = { "checks.json": "[]" };
    const { divergence } = await replayRun(runId, {
      team: recordedTeam,
      store,
      task: { ...conformanceTask, testFiles },
    });
    expect(divergence?.cause).toEqual({ kind: "task", field: "testFiles.checks.json" });
    const same = await replayRun(runId, { team: recordedTeam, store, task: conformanceTask });
    expect(same.divergence).toBeNull();
    const header = { ...recordedRun.header, task: { ...recordedRun.header.task, prompt: "Another." } };
    const forged = await replayRun({ header, events: [...recordedRun.events] }, { team: recordedTeam });
    expect(forged.divergence?.cause).toEqual({ kind: "task", field: "prompt" });
  });
});

describe("a program that was changed", () => {
  type Act = (context: AttemptContext<null>) => Promise<unknown>;
  const look = (path: string) => ({ type: "tool" as const, id: path, tool: "read", args: { path } });
  const teamOf = (...acts: Act[]): Team => {
    const program = defineProgram({
      name: "act",
      input: z.null(),
      output: z.null(),
      async attempt(context) {
        for (const act of acts) await act(context);
        return context.done(null);
      },
    });
    return { ...recordedTeam, programs: [program], workflow: async (run) => (await run.step(program, null)).ok };
  };
  const tests: Act = (context) => context.test();
  const reads: Act = (context) => context.role("coder").use([look("main.txt")]);
  const readsAll: Act = (context) => context.role("coder").use([look("main.txt"), look("checks.json")]);

  async function causeOf(then: Act[], now: Act[]) {
    const { header, events } = await runTask(conformanceTask, { team: teamOf(...then), store: memoryLogStore() });
    const { divergence } = await replayRun({ header, events: [...events] }, { team: teamOf(...now) });
    return divergence?.cause;
  }

  test.each<[string, Act[], Act[], object]>([
    ["leaves a call out", [reads, tests], [tests], { kind: "missing-call", call: "coder calls read" }],
    ["leaves its last call out", [tests, reads], [tests], { kind: "missing-call", call: "coder calls read" }],
    ["makes one more", [tests], [reads, tests], { kind: "extra-call", call: "coder calls read" }],
    ["makes one more in the end", [tests], [tests, reads], { kind: "extra-call", call: "coder calls read" }],
    ["makes one of a group less", [readsAll], [reads], { kind: "missing-call", call: "coder calls read" }],
    ["makes them in another order", [reads, tests], [tests, reads], { kind: "order" }],
  ])("%s", async (_, then, now, cause) => {
    expect(await causeOf(then, now)).toEqual(cause);
  });
});

describe("a pack", () => {
  const { snapshots: _, blobs } = recordedTeam.defaults.sandbox();
  const log = { header: recordedRun.header, events: [...recordedRun.events] };

  test("holds no secret that was none when the run was made, and still replays", async () => {
    const { prompt } = log.header.task;
    const pack = readPack(await writePack(log, blobs, { secrets: [prompt] }));
    const texts = [JSON.stringify([pack.header, pack.events]), ...[...pack.blobs.values()].map((data) => `${data}`)];
    expect(texts.join("\n")).not.toContain(prompt);
    expect((await replayRun(pack, { team: conformanceTeam() })).divergence).toBeNull();
  });

  test("is all that a replay needs on another machine", async () => {
    const pack = readPack(await writePack(log, blobs));
    expect(pack).toMatchObject({ header: log.header, events: log.events, redacted: 0 });
    const { divergence, trajectory } = await replayRun(pack, { team: conformanceTeam() });
    expect(divergence).toBeNull();
    expect(trajectory.verdict.outcome).toBe("verified");
  });

  test("is not made without the files that the run began with", async () => {
    const lost = { ...blobs, get: (id: string) => blobs.get(id === log.header.base ? "gone" : id) };
    await expect(writePack(log, lost)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("holds no secret, also not one in a file, and still replays", async () => {
    const [named, shaped] = ["a named secret that is long", `sk-${"k".repeat(40)}`];
    const text = `${shaped} and ${named}`;
    const script = { base64: btoa(text), executable: true };
    const source = { files: { "main.txt": "start\n", "notes/key.txt": text, "notes/key.sh": script } };
    const team = conformanceTeam();
    const { header, events } = await runTask({ ...conformanceTask, source }, { team, store: memoryLogStore() });
    const file = await writePack({ header, events: [...events] }, team.defaults.sandbox().blobs, { secrets: [named] });
    const pack = readPack(file);
    expect(pack.redacted).toBeGreaterThan(0);
    const texts = [JSON.stringify([pack.header, pack.events]), ...[...pack.blobs.values()].map((data) => `${data}`)];
    for (const text of texts) {
      const decoded = [
        text,
        ...(text.match(/[A-Za-z0-9+/]{20,}=*/g) ?? []).map((part) => atob(part.replace(/=+$/, ""))),
      ];
      for (const secret of [named, shaped]) expect(decoded.join("\n")).not.toContain(secret);
    }
    expect((await replayRun(pack, { team: conformanceTeam() })).divergence).toBeNull();
  });

  test.each<[string, (lines: string[]) => string[], string, RegExp]>([
    [
      "a blob with other bytes",
      ([a, b, ...rest]) => [a!, withBytes(b!, "other"), ...rest],
      "LOG_DAMAGED",
      /line 2 .*other bytes/,
    ],
    [
      "an event that was changed",
      (lines) => lines.with(-3, lines.at(-3)!.replace("run", "fun")),
      "LOG_DAMAGED",
      /line \d+ of the pack/,
    ],
    ["a line less", (lines) => lines.slice(0, 1), "LOG_DAMAGED", /line 2 of the pack/],
    ["no log of a pack", () => ["x"], "LOG_DAMAGED", /line 1 of the pack/],
    ["a newer version", ([, ...rest]) => ['{"pack":2}', ...rest], "LOG_SCHEMA", /update @swarm\/core/],
  ])("with %s is refused by the line", async (_, change, code, message) => {
    const { gunzipSync, gzipSync } = await import("node:zlib");
    const lines = gunzipSync(await writePack(log, blobs))
      .toString()
      .split("\n");
    const changed = gzipSync(change(lines).join("\n"));
    expect(() => readPack(changed)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });

  test("that is cut short, or no pack at all, is refused", async () => {
    const file = await writePack(log, blobs);
    for (const bytes of [file.subarray(0, file.length / 2), Buffer.from("{}")])
      expect(() => readPack(bytes)).toThrow(expect.objectContaining({ code: "LOG_DAMAGED" }));
  });

  test("is refused by a sandbox that names blobs otherwise", async () => {
    const sandbox = memorySandbox({ blobs: { ...blobs, put: async () => "mine" } });
    const pack = readPack(await writePack(log, blobs));
    await expect(replayRun(pack, { team: recordedTeam, sandbox })).rejects.toMatchObject({ field: "sandbox" });
  });
});

function withBytes(line: string, text: string): string {
  return JSON.stringify({ ...JSON.parse(line), base64: btoa(text) });
}
