// The same with the log synced to disk and the workspace in a real folder with snapshots, where a run can be resumed from.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLogStore } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { testCommand } from "./loop.mjs";
import { testCopy, contender as withOptions } from "./swarm.mjs";

export function contender() {
  const folder = mkdtempSync(join(tmpdir(), "durable-"));
  const sandbox = localSandbox({ store: join(folder, "objects"), isolation: "none" });
  return withOptions({ store: fileLogStore(join(folder, "runs")), sandbox, testIn: testThere });
}

/** The files are where a command can run: no other folder has to be made. */
async function testThere(workspace, { signal }) {
  if (process.env.TEST_COMMAND === "null") return await testCopy(workspace);
  const { code, output } = await workspace.exec(testCommand(), { signal, timeoutMs: 60_000 });
  return { passed: code === 0, output: output.slice(-4_000) };
}
