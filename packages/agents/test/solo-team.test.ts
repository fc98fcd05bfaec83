import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryLogStore, runTask } from "@swarm/core";
import { scripted } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { expect, it, onTestFinished } from "vitest";
import { solo } from "./solo-team.ts";

it("shows the team of the README, word for word", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  expect(readme).toContain(await readFile(new URL("./solo-team.ts", import.meta.url), "utf8"));
});

it("solves a task with it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "solo-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = (content: string) => [{ tool: "write_file", args: { path: "one.py", content } }];
  const model = scripted("test:model", {
    "run/solve|coder|0.0": write("ONE = 2\n"),
    "run/solve|coder|0.1": "Done.",
    "run/solve|coder|1.0": write("ONE = 1\n"),
    "run/solve|coder|1.1": "Mended.",
  });
  const task = {
    id: "one",
    prompt: "Set ONE to 1.",
    source: { files: { "one.py": "ONE = 0\n" } },
    testFiles: { "tests/test_one.py": "from one import ONE\n\ndef test_one():\n    assert ONE == 1\n" },
    oracle: { runner: "pytest" },
  };
  const trajectory = await runTask(task, {
    team: solo(model),
    sandbox: localSandbox({ store: join(folder, "objects"), isolation: "none" }),
    store: memoryLogStore(),
  });
  model.assertComplete();
  expect(trajectory.verdict.passed).toBe(true);
  expect(trajectory.report).toEqual({ ok: true, attempts: 2 });
});
