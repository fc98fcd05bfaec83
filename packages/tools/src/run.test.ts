import { SandboxError, sha256, toolSpec } from "@swarm/core";
import { afterAll, expect, test } from "vitest";
import { benches } from "../test/bench.ts";
import { run, runWith } from "./run.ts";

const bench = benches(afterAll);

test("gives the exit code and the output, and says by ok whether it went well", async () => {
  await using desk = await bench({ "f.txt": "here\n" });
  const good = await desk.call(run, { argv: ["cat", "f.txt"] });
  expect(good).toMatchObject({ ok: true, output: "exit code 0\nhere\n" });
  expect(good.measured).toHaveProperty("durationMs");
  expect(good).not.toHaveProperty("touched");
  const bad = await desk.call(run, { argv: ["sh", "-c", "echo out; echo err >&2; exit 3"] });
  expect(bad).toMatchObject({ ok: false, output: "exit code 3\nout\nerr\n" });
  expect((await desk.call(run, { argv: ["true"] })).output).toBe("exit code 0\n(no output)");
});

test("arguments are no shell text", async () => {
  await using desk = await bench();
  expect((await desk.call(run, { argv: ["printf", "%s|", "$HOME", "a b", "*"] })).output).toBe(
    "exit code 0\n$HOME|a b|*|",
  );
});

test("a signal and a time limit are results", async () => {
  await using desk = await bench();
  const killed = await desk.call(run, { argv: ["sh", "-c", "kill -SEGV $$"] });
  expect(killed).toMatchObject({ ok: false });
  expect(killed.output).toMatch(/^ended by signal SIGSEGV\n/);
  const late = await desk.call(run, { argv: ["sh", "-c", "echo begun; sleep 60"], timeoutSeconds: 1 });
  expect(late).toMatchObject({ ok: false, output: "ended by its time limit of 1 s\nbegun\n" });
});

test("a limit of its own stands for what a call does not say", async () => {
  await using desk = await bench();
  const quick = runWith({ timeoutSeconds: 1 });
  expect(toolSpec(quick).input).toMatchObject({
    properties: { timeoutSeconds: { description: expect.stringContaining("Default 1,") } },
  });
  expect((await desk.call(quick, { argv: ["sleep", "60"] })).output).toMatch(/^ended by its time limit of 1 s\n/);
  for (const timeoutSeconds of [0, 121, 1.5, Number.NaN])
    expect(() => runWith({ timeoutSeconds })).toThrow(/^timeoutSeconds: is .* from 1 to 120$/);
});

test("what a command loaded is told where that is asked for", async () => {
  const text = "print(1)\n";
  await using desk = await bench({ "a.py": text });
  const argv = ["python3", "a.py"];
  const told = await desk.call(runWith({ loads: true }), { argv });
  expect(told).toMatchObject({ ok: true, output: "exit code 0\n1\n", loaded: { "a.py": sha256(text) } });
  expect(await desk.call(run, { argv })).not.toHaveProperty("loaded");
});

test("a program that is not there, or cannot be called so, is a result", async () => {
  await using desk = await bench();
  for (const argv of [["no-such-program"], ["./no-such-file"], [""], ["echo", "a\0b"]]) {
    expect(await desk.call(run, { argv })).toMatchObject({ ok: false });
  }
});

test("much output is bounded, and its whole is a blob", async () => {
  await using desk = await bench();
  const { output, measured } = await desk.call(run, { argv: ["sh", "-c", "yes | head -c 1000000; echo end"] });
  expect(output.length).toBeLessThan(17_000);
  expect(output).toMatch(/left out.*end\n$/s);
  const whole = Buffer.from(await desk.blobs.get(String(measured?.["whole"]))).toString();
  expect(whole).toBe(`${"y\n".repeat(500_000)}end\n`);
});

test("a broken sandbox and an abort are no results", async () => {
  const controller = new AbortController();
  await using desk = await bench({}, { signal: controller.signal });
  const broken = desk.withWorkspace({ exec: () => Promise.reject(new SandboxError("gone")) });
  await expect(broken.call(run, { argv: ["true"] })).rejects.toThrow(SandboxError);
  const running = desk.call(run, { argv: ["sleep", "60"] });
  controller.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
});
