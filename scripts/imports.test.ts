import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { entriesOf, packagesOf, root } from "./workspace.ts";

/** What importing a module did besides defining things. */
async function effectsOf(specifier: string): Promise<string[]> {
  const args = ["--conditions=@swarm/source", join(root, "scripts/import-probe.mjs"), specifier];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout) as string[];
}

describe("importing an entry does nothing", () => {
  test.each(packagesOf().flatMap(entriesOf))("$specifier", async ({ specifier }) => {
    expect(await effectsOf(specifier)).toEqual([]);
  });
});

describe("the probe finds", () => {
  test.each([
    ["setTimeout(() => {}, 1000).unref()", "opens Timeout"],
    ["setImmediate(() => {})", "opens Immediate"],
    [`import fs from "node:fs"; fs.watch("/")`, "opens FSEVENTWRAP"],
    [`import net from "node:net"; net.createServer().listen(0)`, "opens TCPSERVERWRAP"],
    [`import { spawn } from "node:child_process"; spawn("true", { env: {} })`, "opens PROCESSWRAP"],
    [`process.on("beforeExit", () => {})`, "listens on the process: beforeExit (1)"],
    ["process.env.SOME_KEY", "reads the environment: SOME_KEY"],
    [`"SOME_KEY" in process.env`, "reads the environment: SOME_KEY"],
    ["Object.keys(process.env)", "reads the environment: all of it"],
    ["globalThis.shared = 1", "defines a global: shared"],
    [`console.log("hello")`, "prints"],
  ])("%s", async (code, effect) => {
    expect(await effectsOf(`data:text/javascript,${encodeURIComponent(code)}`)).toContain(effect);
  });
});
