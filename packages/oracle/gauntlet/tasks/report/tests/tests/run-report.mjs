import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../bin/report.mjs", import.meta.url));

/** Runs the command on a file with this text (on one that is not there without) and gives what came of it. */
export function report(text) {
  const folder = mkdtempSync(join(tmpdir(), "report-"));
  try {
    const [source, target] = [join(folder, "sales.csv"), join(folder, "totals.json")];
    if (text !== undefined) writeFileSync(source, text);
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, source, target], { encoding: "utf8" });
    return { status, stderr, totals: existsSync(target) ? readFileSync(target, "utf8") : undefined };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
