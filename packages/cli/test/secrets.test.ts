import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { loadTask } from "@swarm/tasks";
import { afterEach, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder, writeTaskFile } from "./cli.ts";
import { type ModelServer, modelServer, type ServedAnswer } from "./model-server.ts";

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
  removeTempFolders();
});

/** A key that is set, of no known shape, and one that is only shaped like a key. */
const KEY = "quiet words of no shape";
const SHAPED = `sk-ant-${"0aB1".repeat(8)}`;
/** Half of each is a secret too. */
const NEVER = [KEY, SHAPED, KEY.slice(0, 16), KEY.slice(-14), SHAPED.slice(0, 15), SHAPED.slice(-16)];

/** Says both, put together from pieces, so that neither stands in the command; then so much that its middle is left out. */
const LEAKS = [
  "k=0aB1; k=$k$k; k=$k$k; k=sk-ant-$k$k",
  "printf 'quiet wo'; printf 'rds of n'; printf 'o shape %s\\n' $k",
  "i=0; while [ $i -lt 1500 ]; do echo $i $k; i=$((i + 1)); done", // a key wherever output is cut
].join("; ");

const command = (script: string): ServedAnswer => [{ tool: "run", args: { argv: ["sh", "-c", script] } }];
const notes: ServedAnswer = [{ tool: "write_file", args: { path: "notes.txt", content: `${KEY} ${SHAPED}` } }];

/** Does the work of `page-window`. */
async function work(): Promise<ServedAnswer> {
  const { mock } = await loadTask("page-window");
  return Object.entries(mock!.right.files).map(([path, content]) => ({ tool: "write_file", args: { path, content } }));
}

/** What the models of `codeswarm` answer that tell the keys wherever they can. */
async function answers(): Promise<ServedAnswer[]> {
  const plan = { steps: [{ title: `All of it, ${KEY}`, instructions: `Use ${KEY} or ${SHAPED}.` }] };
  return [JSON.stringify(plan), notes, await work(), `Done with ${KEY} and ${SHAPED}.`];
}

/** What ends the work of `coder`, who may run commands. */
const finish: ServedAnswer = [
  { tool: "finish", args: { explanation: `It is ${KEY}.`, plan: SHAPED, entryPoint: "src/page-window.mjs" } },
];

/** The bytes of every file below a folder, unpacked, by its path there. */
function filesBelow(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const bytes = readFileSync(path);
      return [relative(folder, path), name.endsWith(".gz") ? unpacked(gunzipSync(bytes)) : bytes];
    }),
  );
}

/** The lines of a pack, with what its blobs hold. */
function unpacked(bytes: Buffer): Buffer {
  const lines = bytes.toString().split("\n");
  const held = lines.flatMap((line) => (line.includes('"base64"') ? [JSON.parse(line).base64 as string] : []));
  return Buffer.concat([bytes, ...held.map((text) => Buffer.from(text, "base64"))]);
}

function expectNoSecret(cwd: string, printed: readonly string[]): Map<string, Buffer> {
  const files = filesBelow(cwd);
  for (const secret of NEVER) {
    for (const [path, bytes] of files) expect(bytes.includes(secret), `${path} holds ${secret}`).toBe(false);
    for (const text of printed) expect(text).not.toContain(secret);
  }
  return files;
}

test("no key is in any file that runs, resumed ones and batches leave, nor in what is made of them", async () => {
  const cwd = tempFolder();
  const elsewhere = tempFolder(); // what the user brings may hold what it likes
  const prompt = `The key is ${KEY}, or ${SHAPED}.`;
  const task = join(elsewhere, "task.json");
  await writeTaskFile(task, () => ({ prompt }));
  const told = await answers();
  server = await modelServer([...told, ...told, command(LEAKS), notes, await work(), finish]);
  const roles = ["PLANNER", "CODER", "TESTER", "REVIEWER"];
  const models = Object.fromEntries(roles.map((role) => [`${role}_MODEL`, "vllm:m"]));
  const env = { VLLM_BASE_URL: server.url, VLLM_API_KEY: KEY, ...models };
  const printed: string[] = [];
  const swarm = async (...argv: string[]) => {
    const { stdout, stderr } = await cli(argv, {
      cwd,
      env: { ...env, ...(argv[0] === "batch" ? { CACHE_TTL_S: "0" } : {}) },
    });
    printed.push(stdout, stderr);
    return { stdout };
  };
  const isolation = ["--isolation", "preferred"];

  // cut off by a limit after a file with the keys was asked for, and gone on with
  const cut = await swarm("run", "--task", task, "--max-calls", "2", "--json", ...isolation);
  expect(JSON.parse(cut.stdout).outcome).toBe("budget");
  const whole = await swarm("resume", "latest", "--max-calls", "9", "--json", ...isolation);
  expect(JSON.parse(whole.stdout).outcome).toMatch(/^(verified|passed)$/);

  const batch = await swarm("batch", "--tasks", task, "--batch", "b", "--json", ...isolation);
  expect(JSON.parse(batch.stdout)).toMatchObject({ runs: 1, passed: 1 });

  const alone = await swarm("run", "--task", task, "--team", "coder", "--json", ...isolation);
  expect(JSON.parse(alone.stdout).outcome).toMatch(/^(verified|passed)$/);

  await swarm("show", "latest");
  await swarm("show", "latest", "--evidence", "evidence");
  await swarm("show", "latest", "--pack", "--out", "run.pack.jsonl.gz");
  await swarm("export", "--format", "trajectories", "--out", "rows.jsonl", "--card", "card.md");
  await swarm("cost", "latest");
  await swarm("ls");
  await swarm("graph", "latest");

  const files = expectNoSecret(cwd, printed);
  const kinds = [...files.keys()].map((path) => path.replace(/^runs\/objects\/.*/, "runs/objects"));
  for (const kind of ["runs/objects", "evidence/README.md", "run.pack.jsonl.gz", "rows.jsonl", "card.md"])
    expect(kinds).toContain(kind);
  for (const kind of ["cost.json", "log.jsonl", "verdict.json", "patch.diff", "batch.jsonl", ".swarm/memory.db"])
    expect(
      [...files.keys()].some((path) => path.endsWith(kind)),
      kind,
    ).toBe(true);
  expect([...files.keys()].some((path) => path.startsWith(".swarm/cache/"))).toBe(true);
  // the keys were told, and taken out
  const logs = [...files].filter(([path]) => /^runs\/[^/]+\.jsonl$/.test(path)).map(([, bytes]) => bytes.toString());
  expect(logs).toHaveLength(3);
  for (const log of logs) expect(log.split("[redacted-secret]").length).toBeGreaterThan(20);
  // and no model was told them
  for (const { body } of server.requests)
    for (const secret of NEVER) expect(JSON.stringify(body)).not.toContain(secret);
});

test("a file that a command writes with a key in it is not kept, and its attempt is told why", async () => {
  const cwd = tempFolder();
  const leak = command("printf 'a=quiet words ' > leaked; printf 'of no shape' >> leaked");
  server = await modelServer([leak]);
  const env = { VLLM_BASE_URL: server.url, VLLM_API_KEY: KEY, CODER_MODEL: "vllm:m" };
  const flags = ["--task", "page-window", "--team", "coder", "--json", "--isolation", "preferred"];
  const { stdout, stderr } = await cli(["run", ...flags], { cwd, env });
  expect(JSON.parse(stdout).outcome).toBe("failed");
  const log = readFileSync(JSON.parse(stdout).log, "utf8");
  expect(log).toContain("SECRET_IN_FILE");
  expectNoSecret(
    cwd,
    [stdout, stderr].map((text) => text.replaceAll(KEY.slice(0, 16), "")),
  );
});
