import { spawn } from "node:child_process";
import { once } from "node:events";
import { SandboxError } from "@swarm/core";
import { expect, it } from "vitest";
import { processNamespace } from "./process-tree.ts";

/** Bwrap tells no exit code of a command that ended before it had begun; itself it ends as that did. */
const ENDED = [
  { code: 143, signal: null },
  { status: "", complaint: "" },
] as const;

it("takes a command that was asked to end before it had begun for one that ended", async () => {
  const child = spawn("sh", ["-c", "exit 143"]);
  await once(child, "exit");
  const tree = processNamespace(child, () => "");
  expect(() => tree.outcome(...ENDED)).toThrow(SandboxError);
  tree.terminate();
  expect(tree.outcome(...ENDED)).toEqual({ code: null, signal: "SIGTERM" });
  const broken = { status: "", complaint: "bwrap: Can't mount proc" };
  expect(() => tree.outcome(ENDED[0], broken)).toThrow(/could not run the command: bwrap: Can't mount proc/);
});
