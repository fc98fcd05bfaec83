import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Owner, SandboxError, thisProcess } from "@swarm/core";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { claimFolder, makeOwnedFolder, ownerOf, removeOwnedFolder } from "./owned-folder.ts";
import { sweep } from "./sweep.ts";

const before = process.env["TMPDIR"];
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "sweep-test-")));
  process.env["TMPDIR"] = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
  rmSync(folder, { recursive: true, force: true });
});

/** A workspace's folder with a file in it, and an owner that differs from this process. */
function owned(owner: Partial<Owner> = {}): string {
  const base = makeOwnedFolder();
  mkdirSync(join(base, "workspace"));
  writeFileSync(join(base, "workspace/file"), "1");
  writeFileSync(join(base, "owner.json"), JSON.stringify({ ...ownerOf(base), ...owner }));
  return base;
}

async function deadPid(): Promise<number> {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid!;
}

/** A process that has ended and whose parent never asks how. */
async function zombie(): Promise<{ pid: number; started: string }> {
  const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 & echo $! $(cut -d' ' -f22 /proc/$!/stat); exec sleep 60"]);
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [text] = await once(parent.stdout, "data");
  const [pid = "", started = ""] = String(text).trim().split(" ");
  // While it is a shell it does ask.
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n");
  parent.stdin.end();
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
  return { pid: Number(pid), started };
}

it("removes what a dead process left, also when its id is another's now", async () => {
  owned({ pid: await deadPid() });
  if (process.platform === "linux") {
    owned({ started: "1" });
    owned(await zombie());
  }
  await sweep(folder);
  expect(readdirSync(folder)).toEqual([]);
});

it("removes an empty folder whose maker was killed as it made it, once it is no new one", async () => {
  const halfMade = mkdtempSync(join(folder, "swarm-"));
  const withHalfARecord = mkdtempSync(join(folder, "swarm-"));
  writeFileSync(join(withHalfARecord, "owner.json.0"), '{"pid":');
  const full = mkdtempSync(join(folder, "swarm-"));
  writeFileSync(join(full, "file"), "1");
  const others = mkdtempSync(join(folder, "swarm-app-"));
  await sweep(folder);
  expect(existsSync(halfMade)).toBe(true);

  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  onTestFinished(() => void vi.useRealTimers());
  await sweep(folder);
  expect(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .sort(),
  ).toEqual([full, others].sort());
});

it("leaves alone what is alive, cannot be told, or is no one's", async () => {
  const pid = await deadPid();
  owned();
  owned({ pid: 1, started: null });
  owned({ pid, where: "elsewhere" });
  owned({ pid: -pid });
  writeFileSync(join(owned({ pid }), "owner.json"), '{"pid":');
  mkdirSync(join(folder, "swarm-without-record"));
  const abandoned = owned({ pid });
  mkdirSync(join(folder, "other"));
  writeFileSync(join(folder, "other/owner.json"), readFileSync(join(abandoned, "owner.json")));
  symlinkSync("other", join(folder, "swarm-link"));
  const kept = readdirSync(folder, { recursive: true }).filter(
    (name) => !abandoned.endsWith(String(name).slice(0, 12)),
  );
  await sweep(folder);
  expect(existsSync(abandoned)).toBe(false);
  expect(readdirSync(folder, { recursive: true })).toEqual(kept);
});

it("finds nothing in a folder that is not there", async () => {
  await sweep(join(folder, "none"));
});

it("is done by several processes at once", async () => {
  const pid = await deadPid();
  const living = owned();
  for (let count = 0; count < 30; count += 1) owned({ pid });
  const module = new URL("./sweep.ts", import.meta.url).href;
  const script = `
    import { sweep } from ${JSON.stringify(module)};
    process.stdin.once("data", async () => { await sweep(${JSON.stringify(folder)}); process.exit(); });
    console.log("ready");`;
  const args = ["--conditions=@swarm/source", "--input-type=module", "-e", script];
  const sweepers = [1, 2, 3].map(() => spawn(process.execPath, args));
  let complaints = "";
  for (const { stderr } of sweepers) stderr.on("data", (chunk) => (complaints += chunk));
  await Promise.all(sweepers.map(({ stdout }) => once(stdout, "data")));
  const ends = sweepers.map(async (sweeper) => (await once(sweeper, "close"))[0]);
  for (const { stdin } of sweepers) stdin.write("go");
  expect(await Promise.all(ends)).toEqual([0, 0, 0]);
  expect(complaints).toBe("");
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([living]);
});

it("owns what it removes, so that a sweep that is killed can be swept", async () => {
  const base = owned({ pid: await deadPid() });
  const claimed = claimFolder(base);
  expect(existsSync(base)).toBe(false);
  expect(ownerOf(String(claimed))).toEqual(thisProcess());
  expect(claimFolder(base)).toBeNull();
  expect(readdirSync(String(claimed)).sort()).toEqual(["owner.json", "workspace"]);
});

it("removes a folder however it is locked, as often as it is asked to", async () => {
  const base = owned();
  chmodSync(join(base, "workspace"), 0);
  await removeOwnedFolder(base);
  await removeOwnedFolder(base);
  expect(readdirSync(folder)).toEqual([]);
});

it("says where no folder can be made", () => {
  process.env["TMPDIR"] = join(folder, "none");
  expect(() => makeOwnedFolder()).toThrow(SandboxError);
  expect(() => makeOwnedFolder()).toThrow(/none" \(ENOENT.*set TMPDIR/);
});
