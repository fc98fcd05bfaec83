import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { LocalWorkspace } from "../local-workspace.ts";
import { makeOwnedFolder } from "../owned/owned-folder.ts";
import { directoryBlobs } from "../snapshots/directory-blobs.ts";
import { Trees } from "../snapshots/trees.ts";
import { bubblewrap, bubblewrapProblem } from "./bubblewrap.ts";
import { placeIn } from "./isolation.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { findToolchain } from "./toolchain.ts";

const MB = 1024 * 1024;
const limits = { ...DEFAULT_LIMITS, memory: 200 * MB, processes: 40, disk: 64 * MB, files: 400 };
const problem = bubblewrapProblem();
const isRoot = process.getuid?.() === 0;
if (problem) console.warn(`BUBBLEWRAP DOES NOT WORK HERE (${problem}): what commands use is not watched`);

const tools = await findToolchain();
const folder = mkdtempSync(join(tmpdir(), "use-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(problem)("without control groups, a command that uses too much is ended", () => {
  const python = async (script: string) => {
    await using workspace = new LocalWorkspace({
      place: placeIn(makeOwnedFolder()),
      isolation: bubblewrap({ toolchain: tools, limits, cgroups: null, network: [] }),
      path: tools.path,
      trees: new Trees(directoryBlobs(folder)),
      redact: (text) => text,
    });
    const { signal } = new AbortController();
    return await workspace.exec(["python3", "-I", "-c", script], { signal, timeoutMs: 10_000 });
  };

  it.each([
    [
      "of memory in one process",
      "200 MB of memory",
      "x = []\nwhile len(x) < 40: x.append(bytearray(b'x') * (10 << 20)); time.sleep(0.02)",
    ],
    [
      "of memory in many processes",
      "200 MB of memory",
      "for n in range(10):\n  if os.fork() == 0: x = bytearray(b'x') * (40 << 20); time.sleep(3); os._exit(0)\ntime.sleep(3)",
    ],
    [
      "of memory in files without a name",
      "200 MB of memory",
      "for n in range(40): os.write(os.memfd_create('m'), bytes(10 << 20)); time.sleep(0.02)",
    ],
    [
      "of the disk",
      "64 MB of new files",
      "for n in range(20):\n  open(f'f{n}', 'wb').write(bytes(10 << 20)); time.sleep(0.05)",
    ],
    [
      "of the disk, out of sight",
      "64 MB of new files",
      "kept = []\nfor n in range(20): f = open('f', 'wb', 0); os.unlink('f'); f.write(bytes(10 << 20)); kept.append(f); time.sleep(0.05)",
    ],
    [
      "of the disk, in a folder without rights",
      isRoot ? "64 MB of new files" : "files that cannot be looked at",
      "os.mkdir('d'); kept = [open(f'd/{n}', 'wb', 0) for n in range(20)]; os.chmod('d', 0)\nfor f in kept: f.write(bytes(10 << 20)); time.sleep(0.05)",
    ],
    [
      "of the disk, by names that are no text",
      "64 MB of new files",
      "os.mkdir(b'\\xff')\nfor n in range(20): open(b'\\xff/\\xfe%d' % n, 'wb').write(bytes(10 << 20)); time.sleep(0.05)",
    ],
    ["of the disk's places for files", "400 new files", "for n in range(2000): open(f'f{n}', 'w'); time.sleep(0.001)"],
  ])("%s", async (_, what, script) => {
    const result = await python(`import os, time\n${script}\nprint('all')`);
    expect(result).toMatchObject({ signal: "SIGKILL", timedOut: false });
    expect(result.output).toBe(`\n[ended by the sandbox: more than ${what}]\n`);
  });

  it("however busy the process is that runs it", async () => {
    const ending = python(
      "import time\nfor n in range(30): open(f'f{n}', 'wb').write(bytes(10 << 20)); time.sleep(0.05)",
    );
    await delay(100);
    for (const until = Date.now() + 3_000; Date.now() < until; );
    expect(await ending).toMatchObject({ signal: "SIGKILL", timedOut: false });
  });

  // The kernel's own limit binds everyone else.
  it.runIf(isRoot)("of processes and threads, by root", async () => {
    const script = `
import os, threading, time
for n in range(35): threading.Thread(target=time.sleep, args=(3,)).start()
for n in range(4):
  if os.fork() == 0: time.sleep(3); os._exit(0)
os.fork(); os.fork(); time.sleep(3)`;
    const { output, signal } = await python(script);
    expect({ output, signal }).toEqual({
      output: "\n[ended by the sandbox: more than 40 processes]\n",
      signal: "SIGKILL",
    });
  });

  it("but not for what its processes share", async () => {
    const script = `
import os, time
x = bytearray(b"x") * (60 << 20)
for n in range(8):
  if os.fork() == 0: time.sleep(0.5); os._exit(0)
time.sleep(0.7)
print("all")`;
    expect(await python(script)).toMatchObject({ code: 0, output: "all\n" });
  });
});
