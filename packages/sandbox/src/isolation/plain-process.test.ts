import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Launch } from "../exec/run-command.ts";
import { placeIn } from "./isolation.ts";
import { plainProcess } from "./plain-process.ts";

const options = { signal: new AbortController().signal, timeoutMs: 1_000 };

/** `echo begun`, started as `startCommand` does it, up to where its tree is made. */
async function start(): Promise<{ launch: Launch; child: ChildProcess; said: Promise<string> }> {
  const place = placeIn(mkdtempSync(join(tmpdir(), "plain-process-")));
  onTestFinished(() => rmSync(place.base, { recursive: true }));
  mkdirSync(place.workspace);
  const argv = ["/bin/echo", "begun"];
  const launch = await plainProcess.launch(place, { argv, cwd: "", env: {}, options });
  const { file, args, cwd, env } = launch;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  if (!child.stdout) throw new Error("there is no pipe");
  return { launch, child, said: text(child.stdout) };
}

it("begins no command before its output is known by name, however late that is", async () => {
  const { launch, child, said } = await start();
  await delay(200);
  expect(child.exitCode).toBeNull();
  launch.tree(child, () => "").begin();
  expect(await said).toBe("begun\n");
});

it("begins no command whose starter is gone", async () => {
  const { child, said } = await start();
  child.stdio[3]?.destroy();
  expect(await said).toBe("");
});
