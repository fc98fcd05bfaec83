import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { replaying } from "../test/runs/replaying.ts";

/** Each example, and what it says when it did its work. A verdict is `passed` where the network cannot be cut off. */
const EXAMPLES: Record<string, (string | RegExp)[]> = {
  "embed.ts": ["The reviewer's hint:", /Verdict: (verified|passed)/, "diff --git"],
  "custom-executor.ts": [
    "run/implement: done after 2 attempt(s)",
    /binary-search-tree: (verified|passed)/,
    /linked-list: (verified|passed)/,
  ],
  "custom-tool.ts": ["The coder looked up: singly linked", /Verdict: (verified|passed)/],
  "own-team.ts": ['"rounds":2', /Verdict: (verified|passed)/],
  "process-executor.ts": ["run/implement, attempt 1", /Verdict: (verified|passed)/],
};

test("the team of one's own is short, and is the one of the page on writing a team", () => {
  const example = readFileSync(join(import.meta.dirname, "own-team.ts"), "utf8");
  expect(example.split("\n").length).toBeLessThan(100);
  const page = readFileSync(join(import.meta.dirname, "../docs/writing-a-team.md"), "utf8");
  expect(page).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});

test.for(Object.entries(EXAMPLES))("%s runs offline, without a key", async ([name, says]) => {
  const cwd = mkdtempSync(join(tmpdir(), "swarm-example-"));
  try {
    const file = join(import.meta.dirname, name);
    const env = { PATH: process.env["PATH"], HOME: cwd };
    const argv = ["--conditions=@swarm/source", ...replaying(), file];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd, env });
    for (const text of says) expect(stdout).toMatch(text);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});
